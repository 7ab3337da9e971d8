package dev.holdfast.archiver;

import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.file.CopiedSegments;
import dev.holdfast.journal.file.GroupHeader;
import dev.holdfast.journal.file.JournalBounds;
import dev.holdfast.journal.file.JournalChunk;
import dev.holdfast.journal.file.MarkFile;
import dev.holdfast.journal.file.RecordHeader;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.verify.ObjectChains;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Writes the journal of a new data directory from the chunks of another journal. Each record keeps
 * its position and its time, and segments begin where they did, and when. The new journal can be
 * opened when {@link #finish} has returned.
 *
 * <p>Checkpoint records after the image of the views become records of no view: the files that they
 * describe are not in the new directory. So every batch from the low-water mark on is redone when
 * it is opened. Confined to one thread.
 */
public final class RestoredJournal implements AutoCloseable {

  /** The view id of records that no view reads. */
  private static final byte NO_VIEW = (byte) RecordKind.VOID_VIEW;

  private static final int CHECKSUM_OFFSET = 4;
  private static final int WALL_OFFSET = 8;
  private static final int KIND_OFFSET = 16;
  private static final int VIEW_OFFSET = 17;

  private final Disk disk;
  private final Path dataDirectory;
  private final Origin origin;
  private final Predicate<ObjectKey> selection;

  private final BitSet views = new BitSet();
  private final Set<ObjectKey> objects;
  private final ObjectChains chains;

  private final CopiedSegments segments;

  /** Of the segment whose records were copied last; null before the first. */
  private @Nullable Long salt;

  /** The time of the record that was copied last. */
  private long copiedMillis = Long.MIN_VALUE;

  /**
   * What the new journal is.
   *
   * @param journalId its id
   * @param firstPosition the position of its first record
   * @param lowWaterMark the first position that a view needs
   * @param imagePosition up to which position checkpoint records describe files that the new
   *     directory has; 0 if it has none
   * @param begunMillis a time that no record before the first position is later than, milliseconds
   *     since 1970: moments before it are not those of the new journal
   */
  public record Origin(
      long journalId, long firstPosition, long lowWaterMark, long imagePosition, long begunMillis) {

    /**
     * {@return the origin of a journal that has every record, in a directory without other files}
     *
     * @param journalId its id
     */
    public static Origin whole(long journalId) {
      return new Origin(journalId, 1, 1, 0, 0);
    }
  }

  /**
   * Begins a journal.
   *
   * @param disk where it is written
   * @param dataDirectory the data directory; created if missing, and without a journal
   * @param origin what the journal is
   * @param selection the objects whose records are copied; other records become empty
   * @param objects receives the objects of batches that are copied
   * @param salts random numbers
   * @throws IOException if the directory cannot be created
   */
  public RestoredJournal(
      Disk disk,
      Path dataDirectory,
      Origin origin,
      Predicate<ObjectKey> selection,
      Set<ObjectKey> objects,
      LongSupplier salts)
      throws IOException {
    this.disk = disk;
    this.dataDirectory = dataDirectory;
    this.origin = origin;
    this.selection = selection;
    this.objects = objects;
    // With an image, the opening compares the first batch of each object with its files.
    Long none = origin.imagePosition() == 0 ? Journal.START : null;
    this.chains = new ObjectChains(_ -> none, position -> position >= origin.lowWaterMark());
    this.segments =
        new CopiedSegments(
            disk,
            dataDirectory.resolve(FileJournal.DIRECTORY_NAME),
            origin.journalId(),
            origin.firstPosition(),
            JournalBounds.COPIED_SEGMENT_BYTES,
            salts);
    segments.needFrom(origin.lowWaterMark());
  }

  /** {@return the position of the next record to copy} */
  public long nextPosition() {
    return segments.nextPosition();
  }

  /**
   * {@return whether records of a view were copied}
   *
   * @param viewId the number of the view
   */
  public boolean hasRecordsOf(int viewId) {
    return views.get(viewId);
  }

  /**
   * Copies the records of a chunk, from the next one on.
   *
   * @param chunk has no record that is later than the next one without having that as well
   * @param lastPosition later records are left out
   * @throws IOException if they cannot be written
   * @throws dev.holdfast.errors.JournalCorruptException if a batch of an object is missing
   */
  @SuppressWarnings("exports") // verify sees the package of the chunk
  public void add(JournalChunk chunk, long lastPosition) throws IOException {
    if (chunk.firstPosition() > nextPosition()) {
      throw new IllegalArgumentException(
          "The chunk begins at position "
              + chunk.firstPosition()
              + ", and the journal continues at "
              + nextPosition());
    }
    CopiedGroup group = new CopiedGroup(chunk.bytes(), this);
    chunk.forEach(
        (record, position, at) -> {
          if (position == nextPosition() + group.count && position <= lastPosition) {
            requireThere(chunk.record(record, position, at));
            group.add(record, position, at);
          }
          return position < lastPosition;
        });
    if (group.count > 0) {
      write(group, chunk);
    }
  }

  /** What recovery redoes must be whole, and nothing says whose record was here. */
  private void requireThere(JournalRecord record) {
    if (record.position() >= origin.lowWaterMark() && record.isErased()) {
      throw new JournalCorruptException(
          segments.directory(),
          0,
          record.position(),
          "a record was erased here, by the purge of a history or by damage, and the state of its"
              + " object at a later moment cannot be made from what is before it",
          "Restore to a moment before it, from a base image or a backup after it, or objects that"
              + " have their history");
    }
  }

  private static final class CopiedGroup {
    private final byte[] source;
    private final Predicate<ObjectKey> selection;
    private final BitSet views;
    private final Set<ObjectKey> objects;
    private final ObjectChains chains;
    private final long imagePosition;
    private final byte[] bytes;
    private int length = GroupHeader.LENGTH_BYTES;
    private int count;
    private long firstMillis;
    private long lastMillis;
    private final CRC32C digest = new CRC32C();

    CopiedGroup(byte[] source, RestoredJournal journal) {
      this.imagePosition = journal.origin.imagePosition();
      this.views = journal.views;
      this.objects = journal.objects;
      this.chains = journal.chains;
      this.source = source;
      this.selection = journal.selection;
      this.bytes = new byte[source.length]; // the header of the chunk is larger than a group's
    }

    void add(RecordHeader record, long position, int at) {
      lastMillis = record.wallMillis();
      firstMillis = count == 0 ? lastMillis : firstMillis;
      ObjectKey key = record.keyWith(source, at + RecordHeader.LENGTH_BYTES);
      // A note without an object is about all of them: what it says of the selected ones stays.
      boolean isOfAll = record.kind() == RecordKind.NOTE && record.namespaceBytes() == 0;
      boolean isSelected = isOfAll || selection.test(key);
      int recordBytes =
          isSelected ? (int) record.recordBytes() : (int) RecordHeader.recordBytes(0, 0);
      System.arraycopy(source, at, bytes, length, recordBytes);
      if (!isSelected) {
        clear(record.wallMillis());
      } else if (record.kind() == RecordKind.CHECKPOINT
          && position > imagePosition
          && record.viewId() != Journal.EVENTS_VIEW_ID) {
        bytes[length + VIEW_OFFSET] = NO_VIEW;
        restamp(record.namespaceBytes(), record.payloadBytes());
      } else {
        views.set(record.viewId());
        ChainLink link = record.kind().isBatch() ? record.link() : null;
        if (link != null) {
          chains.visit(key, position, link);
          objects.add(key);
        }
      }
      digest.update(bytes, length + CHECKSUM_OFFSET, 4);
      length += recordBytes;
      count++;
    }

    /** Keeps only the time of a record. */
    private void clear(long recordWallMillis) {
      Arrays.fill(bytes, length, length + RecordHeader.LENGTH_BYTES, (byte) 0);
      ByteBuffer.wrap(bytes).putLong(length + WALL_OFFSET, recordWallMillis);
      bytes[length + KIND_OFFSET] = RecordHeader.codeOf(RecordKind.CHECKPOINT);
      bytes[length + VIEW_OFFSET] = NO_VIEW;
      restamp(0, 0);
    }

    private void restamp(int namespaceBytes, int payloadBytes) {
      CRC32C crc = new CRC32C();
      crc.update(bytes, length + RecordHeader.LENGTH_BYTES + namespaceBytes, payloadBytes);
      RecordHeader.updateChecksum(crc, bytes, length, namespaceBytes);
      ByteBuffer.wrap(bytes).putInt(length + CHECKSUM_OFFSET, (int) crc.getValue());
    }
  }

  private void write(CopiedGroup group, JournalChunk chunk) throws IOException {
    Long present = salt;
    if (present == null || present != chunk.salt()) {
      segments.endSegment();
      salt = chunk.salt();
    }
    // Not the time of its first record: a source of a division had dropped what is before the
    // beginning, and another one has records from before it. A chunk can also begin in the middle
    // of a segment, after the record before it, unless that was stamped by a clock that was ahead.
    long afterMillis = Math.min(copiedMillis, group.firstMillis);
    long begunMillis = Math.max(origin.begunMillis(), Math.max(chunk.begunMillis(), afterMillis));
    segments.write(
        group.bytes, group.length, group.count, (int) group.digest.getValue(), begunMillis);
    copiedMillis = group.lastMillis;
  }

  /**
   * Makes the journal durable, and names it in the mark of the directory.
   *
   * @throws IOException if that fails
   */
  public void finish() throws IOException {
    segments.finish(new MarkFile(disk, dataDirectory.resolve(FileJournal.MARK_FILE_NAME)));
  }

  /** Closes the open segment. Without {@link #finish} the journal cannot be opened. */
  @Override
  public void close() throws IOException {
    segments.close();
  }
}
