/** SQL on the private database of an object. */
@NullMarked
package dev.holdfast.sql;

import org.jspecify.annotations.NullMarked;
