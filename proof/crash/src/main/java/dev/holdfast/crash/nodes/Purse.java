package dev.holdfast.crash.nodes;

/** Money that goes from one purse to another, perhaps in another shard. */
public interface Purse {

  /**
   * Gives money to another purse. What was given away and not confirmed is kept as pending.
   *
   * @param id names the gift: to repeat it has no further effect
   * @param taker the name of the other purse
   * @param amount how much; nothing is given if there is less
   */
  void give(String id, String taker, long amount);

  /**
   * Takes money.
   *
   * @param id names the gift: to repeat it has no further effect
   * @param amount how much
   */
  void take(String id, long amount);

  /**
   * Delivers what is pending.
   *
   * @return what is still pending
   */
  long settle();

  /** {@return the money in the purse, without what is pending} */
  long balance();

  /**
   * {@return whether a gift has come}
   *
   * @param id names the gift
   */
  boolean hasTaken(String id);

  /** {@return the money in the purse, and what is pending and has not come to its taker yet} */
  long worth();
}
