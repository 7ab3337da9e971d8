/** The demo and its launcher, as a new user runs them. */
@NullMarked
package dev.holdfast.system.demo;

import org.jspecify.annotations.NullMarked;
