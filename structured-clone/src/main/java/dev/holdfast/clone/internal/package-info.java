/**
 * What values and codec share: bounds, identity, names, and the access to what values keep from
 * applications.
 */
@NullMarked
package dev.holdfast.clone.internal;

import org.jspecify.annotations.NullMarked;
