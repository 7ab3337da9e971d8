package dev.holdfast.spi.verify;

import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads the batches of objects forwards and proves that none is missing: each must name the one
 * before it, and the first one after what a view has in its files must name the last one there.
 *
 * <p>Confined to one thread.
 */
public final class ObjectChains {

  private final Function<ObjectKey, @Nullable Long> stated;
  private final LongPredicate isRead;
  private final Map<ObjectKey, Chain> chains = new HashMap<>();

  /**
   * What is known of one object.
   *
   * @param stated its last batch in the files of the view; null if that is not known
   * @param last its last batch that was read; null for none
   */
  private record Chain(@Nullable Long stated, @Nullable Long last) {

    /** {@return the batch that the next one must name; null if it is not known} */
    @Nullable Long expectedBy(long position) {
      Long ofFiles = stated != null && position > stated ? stated : null;
      if (last == null) {
        return ofFiles;
      }
      return ofFiles != null && last < ofFiles ? ofFiles : last;
    }
  }

  /**
   * Creates it.
   *
   * @param stated gives for an object the position of its last batch that the files of the view
   *     have; {@link Journal#START} if they have none, null if that is not known. Asked once for
   *     each object
   */
  public ObjectChains(Function<ObjectKey, @Nullable Long> stated) {
    this(stated, _ -> false);
  }

  /**
   * Creates it for a view that can forget the last batch of an object. The object then begins
   * another chain: its next batch names a record that is none of its batches, so none is missing.
   *
   * @param stated as above
   * @param isRead whether the record at a position was read, and not erased: if it were a batch of
   *     the object, it would have been visited
   */
  public ObjectChains(Function<ObjectKey, @Nullable Long> stated, LongPredicate isRead) {
    this.stated = stated;
    this.isRead = isRead;
  }

  /**
   * Reads the next batch of a view. The batches of an object come in order, beginning at or before
   * the first one that the files lack.
   *
   * @param batch the record
   * @throws JournalCorruptException if a batch of the object is missing before it
   */
  public void visit(JournalRecord batch) {
    visit(batch.key(), batch.position(), batch.requireLink());
  }

  /**
   * Reads the next batch of a view, as {@link #visit(JournalRecord)}.
   *
   * @param key its object
   * @param position its position
   * @param link what it states about the batch before it
   * @throws JournalCorruptException if a batch of the object is missing before it
   */
  public void visit(ObjectKey key, long position, ChainLink link) {
    Chain chain = chains.get(key);
    if (chain == null) {
      chain = new Chain(stated.apply(key), null);
    }
    Long expected = chain.expectedBy(position);
    if (expected != null
        && link.previous() != expected
        && !(link.previous() > expected && isRead.test(link.previous()))) {
      throw missing(key, position, link, expected);
    }
    chains.put(key, new Chain(chain.stated(), position));
  }

  /** The parts of one batch, read forwards. */
  public static final class Parts {

    private final JournalRecord batch;
    private int read;

    /**
     * Creates it.
     *
     * @param batch the batch that they belong to
     */
    public Parts(JournalRecord batch) {
      this.batch = batch;
    }

    /**
     * Reads the next part.
     *
     * @param part the record
     * @throws JournalCorruptException if one is missing before it
     */
    public void visit(JournalRecord part) {
      ChainLink link = part.requireLink();
      if (link.parts() != read + 1 || link.previous() != batch.requireLink().previous()) {
        throw lacksParts();
      }
      read++;
    }

    /**
     * Ends the reading.
     *
     * @throws JournalCorruptException if not all parts were read
     */
    public void end() {
      if (read != batch.requireLink().parts()) {
        throw lacksParts();
      }
    }

    private JournalCorruptException lacksParts() {
      return damaged(
          batch.position(),
          "the batch of "
              + batch.key()
              + " at this position has "
              + batch.requireLink().parts()
              + " parts, and part "
              + (read + 1)
              + " is missing");
    }
  }

  private static JournalCorruptException missing(
      ObjectKey key, long position, ChainLink link, long expected) {
    return damaged(
        position,
        "the batch of "
            + key
            + " at this position follows "
            + shown(link.previous())
            + ", but before it is "
            + shown(expected)
            + ": a record of the object is missing");
  }

  private static String shown(long position) {
    return position == Journal.START ? "no other" : "that at position " + position;
  }

  private static JournalCorruptException damaged(long position, String what) {
    return new JournalCorruptException(
        Path.of("journal"), 0, position, what, "Restore the whole data directory from one copy");
  }
}
