package dev.holdfast.ledger;

import java.util.List;

/**
 * The records of an account.
 *
 * @param balanceCents the balance, without money that was sent but has not arrived
 * @param sent every transfer from this account, refused ones included
 * @param received every transfer to this account
 */
public record Statement(long balanceCents, List<Sent> sent, List<Transfer> received) {

  /** Copies the lists, so that a statement never changes. */
  public Statement {
    sent = List.copyOf(sent);
    received = List.copyOf(received);
  }

  /**
   * A transfer from this account.
   *
   * @param transfer the transfer
   * @param state its progress
   */
  public record Sent(Transfer transfer, State state) {}

  /** The progress of a transfer. */
  public enum State {

    /** The sender has paid; the receiver may or may not have the money yet. */
    PENDING,

    /** The receiver has confirmed it. */
    DELIVERED,

    /** Not covered; no money has moved. */
    REFUSED
  }
}
