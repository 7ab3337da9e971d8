package dev.holdfast.ledger;

/**
 * An order to move money from one account to another.
 *
 * @param id chosen by the caller; identifies this transfer among all transfers of the sending
 *     account
 * @param from number of the sending account
 * @param to number of the receiving account, another one
 * @param cents the amount; more than zero
 */
public record Transfer(String id, String from, String to, long cents) {

  /**
   * Checks the rules.
   *
   * @throws IllegalArgumentException if a name is blank, the accounts are the same or the amount is
   *     not more than zero
   */
  public Transfer {
    if (id.isBlank() || from.isBlank() || to.isBlank()) {
      throw new IllegalArgumentException("a transfer needs an id and two accounts");
    }
    if (from.equals(to)) {
      throw new IllegalArgumentException("from and to are the same account, " + from);
    }
    if (cents <= 0) {
      throw new IllegalArgumentException("the amount must be more than zero: " + cents + " cents");
    }
  }
}
