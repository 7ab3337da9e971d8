/** What all operations of a zone work on: its database, its profile, time and chance. */
@NullMarked
package dev.holdfast.http.internal.store;

import org.jspecify.annotations.NullMarked;
