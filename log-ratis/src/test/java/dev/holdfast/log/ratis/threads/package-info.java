@NullMarked
package dev.holdfast.log.ratis.threads;

import org.jspecify.annotations.NullMarked;
