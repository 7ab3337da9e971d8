/** Tests whose processes are killed: no module waits for them here. */
@NullMarked
package dev.holdfast.ledger.demo;

import org.jspecify.annotations.NullMarked;
