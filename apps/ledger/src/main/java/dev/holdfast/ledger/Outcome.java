package dev.holdfast.ledger;

/** The outcome of a transfer. */
public enum Outcome {

  /** The money has left one account and arrived in the other. */
  ACCEPTED,

  /** The sending account could not cover it; no money has moved or will move. */
  REFUSED
}
