/** What statements use while they run. */
@NullMarked
package dev.holdfast.backend.sqlite.meter;

import org.jspecify.annotations.NullMarked;
