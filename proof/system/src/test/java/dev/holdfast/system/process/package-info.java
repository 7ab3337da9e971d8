/** Features of the operating system that tests need. */
@NullMarked
package dev.holdfast.system.process;

import org.jspecify.annotations.NullMarked;
