/** Stored values as trees and as JSON, for people. */
@NullMarked
package dev.holdfast.operator.value;

import org.jspecify.annotations.NullMarked;
