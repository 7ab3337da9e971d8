/** SQL of objects, on real files. */
@NullMarked
package dev.holdfast.embedded.sql;

import org.jspecify.annotations.NullMarked;
