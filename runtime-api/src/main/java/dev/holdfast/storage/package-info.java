/** Storage of one object: key-value data, transactions, bookmarks and alarms. */
@NullMarked
package dev.holdfast.storage;

import org.jspecify.annotations.NullMarked;
