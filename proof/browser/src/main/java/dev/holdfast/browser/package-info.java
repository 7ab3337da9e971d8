/** A real browser, driven by tests. */
@NullMarked
package dev.holdfast.browser;

import org.jspecify.annotations.NullMarked;
