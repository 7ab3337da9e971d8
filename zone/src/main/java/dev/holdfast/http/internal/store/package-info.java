/**
 * The resources that all operations of a zone share: its database, its profile, the clock and
 * randomness.
 */
@NullMarked
package dev.holdfast.http.internal.store;

import org.jspecify.annotations.NullMarked;
