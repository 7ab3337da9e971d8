package dev.holdfast.ledger;

import java.util.List;

/**
 * What an account has recorded.
 *
 * @param balanceCents the balance; money that was sent but has not arrived is not in it
 * @param sent every transfer from this account, refused ones included
 * @param received every transfer to this account
 */
public record Statement(long balanceCents, List<Sent> sent, List<Transfer> received) {

  /** Takes copies, so that a statement never changes. */
  public Statement {
    sent = List.copyOf(sent);
    received = List.copyOf(received);
  }

  /**
   * A transfer from this account.
   *
   * @param transfer the transfer
   * @param state how far it got
   */
  public record Sent(Transfer transfer, State state) {}

  /** How far a transfer got. */
  public enum State {

    /** The sender has paid; the receiver may have the money or not yet. */
    PENDING,

    /** The receiver has confirmed it. */
    DELIVERED,

    /** Not covered; no money has moved. */
    REFUSED
  }
}
