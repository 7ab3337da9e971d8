/** The demo and its launcher as a newcomer meets them. */
@NullMarked
package dev.holdfast.system.demo;

import org.jspecify.annotations.NullMarked;
