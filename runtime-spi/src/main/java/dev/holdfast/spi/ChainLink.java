package dev.holdfast.spi;

/**
 * What a record that changes an object states about the records of the object before it, so that a
 * reader can prove that none is missing: each batch names the batch before it, and how many parts
 * it has.
 *
 * @param previous the position of the object's last batch before the record; {@link Journal#START}
 *     if it had none. The parts of a batch have the same as the batch
 * @param parts for a batch: how many records of kind {@link RecordKind#UNDO_PART} belong to it, all
 *     of them before it and after every other record that changes the object; for such a part: its
 *     number, the first has 1
 */
public record ChainLink(long previous, int parts) {

  /** The link of the first record of an object, which is a batch of one record. */
  public static final ChainLink FIRST = new ChainLink(Journal.START, 0);

  /** Checks the numbers. */
  public ChainLink {
    if (previous < Journal.START || parts < 0) {
      throw new IllegalArgumentException("previous " + previous + ", parts " + parts);
    }
  }

  /**
   * {@return the link of a batch without parts}
   *
   * @param previous the position of the object's last batch before it; {@link Journal#START} if it
   *     had none
   */
  public static ChainLink after(long previous) {
    return previous == Journal.START ? FIRST : new ChainLink(previous, 0);
  }
}
