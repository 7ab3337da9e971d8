/**
 * {@code ./holdfast demo}: runs a file of transfers through the ledger, kills it midway and counts
 * the money.
 */
@NullMarked
package dev.holdfast.ledger.demo;

import org.jspecify.annotations.NullMarked;
