/** The private storage of an object: keys and values, atomic by turn. */
@NullMarked
package dev.holdfast.storage;

import org.jspecify.annotations.NullMarked;
