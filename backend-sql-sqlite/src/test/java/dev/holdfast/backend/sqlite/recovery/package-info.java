@NullMarked
package dev.holdfast.backend.sqlite.recovery;

import org.jspecify.annotations.NullMarked;
