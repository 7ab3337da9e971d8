/** What goes wrong from outside, seen by an application: typed, told in full, nothing lost. */
@NullMarked
package dev.holdfast.system.errors;

import org.jspecify.annotations.NullMarked;
