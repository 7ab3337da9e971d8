package dev.holdfast.backend.sqlite.catalog;

import dev.holdfast.backend.sqlite.file.CatalogState;
import dev.holdfast.backend.sqlite.file.Mark;
import dev.holdfast.backend.sqlite.file.Marks;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.RecordKind;

/**
 * The records that the catalog has in the journal: the mark of each save, and the state of the file
 * beside it. Written under the lock of the {@link SqliteCatalog}; read by any thread.
 */
final class CatalogRecords {

  private final Journal journal;
  private final int viewId;

  /** The last record that the catalog has written for itself. */
  private volatile long lastPosition;

  /** The mark of the saved catalog, which the journal keeps. */
  private volatile Mark mark = new Mark(0, 0, 0);

  /**
   * Position of the state of the file, which the journal keeps beside the mark. It is before the
   * mark if a save got the mark into the log but did not reach the file.
   */
  private volatile long statePosition;

  /**
   * Position of a mark that the catalog may have, and that is not known to be saved; 0 if there is
   * none. Until the first one is, nothing else keeps its record: the changes that were saved with
   * it count no more, and the next opening would refuse a catalog with a mark that it does not
   * find.
   */
  private volatile long savingPosition;

  CatalogRecords(Journal journal, int viewId) {
    this.journal = journal;
    this.viewId = viewId;
  }

  /**
   * Records what the journal had when the catalog was opened.
   *
   * @param known the mark in the file
   */
  void found(Marks marks, Mark known) {
    mark = known;
    lastPosition = marks.lastPosition();
    statePosition = marks.statePosition();
  }

  /** Appends a state of the file; it is durable then. */
  long append(CatalogState state) {
    long position = journal.append(RecordKind.CHECKPOINT, viewId, Mark.KEY, state.encode());
    journal.awaitDurable(position);
    lastPosition = position;
    return position;
  }

  /**
   * Appends the next mark.
   *
   * @param digest differs if other states were saved
   */
  Mark appendMark(long digest) {
    long token = mark.token() * 0x9E3779B97F4A7C15L + digest;
    Mark unplaced = new Mark(0, mark.position(), token);
    long position = journal.append(RecordKind.CHECKPOINT, viewId, Mark.KEY, unplaced.encode());
    return new Mark(position, unplaced.previous(), token);
  }

  /** Records that the catalog is about to have a mark. */
  void saving(Mark next) {
    if (savingPosition == 0) { // one that was not saved may be in the catalog still
      savingPosition = next.position();
    }
  }

  /** Records that the file was saved with a mark, and where its state is. */
  void saved(Mark next, long state, long digest) {
    mark = next;
    statePosition = state;
    savingPosition = 0; // last: one of them is always there to be seen
    if (next.previous() == 0) {
      // States that there was a saved catalog, as all later marks do.
      lastPosition = appendMark(digest).position();
    }
  }

  /** {@return whether the file was not saved with this mark or a later one} */
  boolean isNewer(Mark next) {
    return next.position() > mark.position();
  }

  /** {@return whether the journal keeps other records only because of the mark} */
  boolean isMarkOld() {
    return mark.position() > 0 && journal.lastPosition() > Math.max(lastPosition, mark.position());
  }

  /** {@return the lowest position that the next opening needs; the largest long if none} */
  long lowestPosition() {
    long saving = savingPosition; // first: once it is 0, the mark is the one that was saved
    return Math.min(kept(saving), Math.min(kept(mark.position()), kept(statePosition)));
  }

  private static long kept(long position) {
    return position > 0 ? position : Long.MAX_VALUE;
  }
}
