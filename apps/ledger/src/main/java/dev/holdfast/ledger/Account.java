package dev.holdfast.ledger;

/**
 * One account of a ledger: a durable object, addressed by its account number.
 *
 * <p>Every account exists from the start with {@link #OPENING_CENTS}; it need not be created. Every
 * method may be repeated after any failure: a transfer has an id, and takes effect once, no matter
 * how often the call is made.
 */
public interface Account {

  /** The initial balance of every account, in cents. */
  long OPENING_CENTS = 100_000;

  /**
   * Sends money from this account to another one.
   *
   * <p>A transfer that this account cannot cover is refused, and stays refused: the answer to a
   * transfer id never changes.
   *
   * @param transfer a transfer from this account
   * @return the outcome; when it is {@link Outcome#ACCEPTED} the money has arrived, durably
   * @throws IllegalArgumentException if the transfer is not from this account, or its id was used
   *     for another transfer before; nothing was changed
   */
  Outcome send(Transfer transfer);

  /**
   * Takes money that another account has sent; called by that account.
   *
   * @param transfer a transfer to this account; a repeated transfer changes nothing
   */
  void receive(Transfer transfer);

  /**
   * Repeats the delivery of transfers that a crash interrupted between this account and others. The
   * host calls it for every account when it starts.
   *
   * @return the number of transfers delivered
   */
  int deliverPending();

  /** {@return the balance and everything that was sent and received} */
  Statement statement();
}
