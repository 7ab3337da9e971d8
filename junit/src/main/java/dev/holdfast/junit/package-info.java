/** Durable objects in JUnit tests. */
@NullMarked
package dev.holdfast.junit;

import org.jspecify.annotations.NullMarked;
