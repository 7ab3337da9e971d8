@NullMarked
package dev.holdfast.verify.split;

import org.jspecify.annotations.NullMarked;
