@NullMarked
package dev.holdfast.log.ratis;

import org.jspecify.annotations.NullMarked;
