/** SQL on the database of one object. */
@NullMarked
package dev.holdfast.sql;

import org.jspecify.annotations.NullMarked;
