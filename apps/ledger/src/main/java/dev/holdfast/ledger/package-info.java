/**
 * A ledger whose accounts are durable objects: the example to read first.
 *
 * <p>{@link dev.holdfast.ledger.Account} is the interface that callers see, {@code AccountObject}
 * the object behind it, and {@link dev.holdfast.ledger.Ledger} the few lines that open a runtime
 * with it.
 */
@NullMarked
package dev.holdfast.ledger;

import org.jspecify.annotations.NullMarked;
