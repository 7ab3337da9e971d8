/** What tests need of the operating system. */
@NullMarked
package dev.holdfast.system.process;

import org.jspecify.annotations.NullMarked;
