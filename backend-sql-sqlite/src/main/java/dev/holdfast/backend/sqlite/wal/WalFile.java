package dev.holdfast.backend.sqlite.wal;

import dev.holdfast.backend.sqlite.file.LogFormat;
import dev.holdfast.backend.sqlite.file.PageSize;
import dev.holdfast.backend.sqlite.file.PageSums;
import dev.holdfast.backend.sqlite.wal.BatchWriter.Image;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads from the {@code -wal} file of an open database what each commit has written, and earlier
 * images of pages.
 *
 * <p>SQLite appends the frames of a commit after the frames of the previous one; the last frame of
 * a commit carries the size of the database. After a checkpoint has copied all frames into the
 * database file, the next write restarts the file with other salts. A transaction that was rolled
 * back may have left frames with right salts after the end, but never one that ends a commit. The
 * commit that has just succeeded is therefore the run of frames with the right salts from the known
 * end up to the first that ends a commit. Without such a run, it has written nothing.
 *
 * <p>Read without {@link dev.holdfast.spi.disk.Disk}: durability does not matter here, and an
 * ordinary file needs half as many descriptors. Confined to the holder of the database. SQLite
 * never replaces the file while the database is open.
 */
public final class WalFile implements CommitLog {

  private static final int HEADER_BYTES = LogFormat.HEADER_BYTES;

  /** Enough for most commits. */
  private static final int FIRST_CHUNK_FRAMES = 2;

  /** A larger commit is read in large chunks, and its earlier images one by one. */
  private static final int SMALL_COMMIT_FRAMES = 4;

  private static final int CHUNK_FRAMES = 16;

  private final Path path;
  private final byte[] header = new byte[HEADER_BYTES];
  private final ByteBuffer headerView = ByteBuffer.wrap(header);
  private @Nullable RandomAccessFile file;

  /**
   * Where each page was last written since the file was restarted, up to the last accepted commit.
   */
  private final PageIndex frames = new PageIndex();

  /** 0 until a header was read. */
  private int pageBytes;

  private long salts;
  private int endFrame;

  /** How many of the frames belong to the last accepted commit. */
  private int lastCommitFrames;

  /** Whether a write may have restarted the file since its header was read. */
  private boolean mayRestart = true;

  /** Whether the database file has all frames. */
  private boolean copied = true;

  public WalFile(Path path) {
    this.path = path;
  }

  /** {@return the length of the file up to the end of the last accepted commit} */
  long acceptedBytes() {
    return endFrame == 0 ? 0 : LogFormat.offset(endFrame, pageBytes);
  }

  /** {@return whether the file holds at least this many frames, and some that were not copied} */
  public boolean hasUncopiedFrames(int atLeast) {
    return !copied && endFrame >= atLeast;
  }

  @Override
  public boolean hasUncopied() {
    return hasUncopiedFrames(1);
  }

  /**
   * Records that frames are about to be copied into the database file. Call it before the copy: a
   * copy that fails may have copied all frames. The next write then restarts the file, and a commit
   * searched for after the old end would not be found.
   */
  public void copying() {
    mayRestart = true;
  }

  /** Records that all frames were copied into the database file. */
  public void allCopied() {
    copied = true;
  }

  /**
   * {@inheritDoc}
   *
   * @throws IOException if the file cannot be read, or was restarted unexpectedly
   */
  @Override
  public boolean read(WalCommit commit) throws IOException {
    return read(commit, /* several= */ false);
  }

  @Override
  public boolean readAll(WalCommit commit) throws IOException {
    return read(commit, /* several= */ true);
  }

  @Override
  public int end(WalCommit commit) {
    return commit.endFrame();
  }

  private boolean read(WalCommit commit, boolean several) throws IOException {
    RandomAccessFile opened = open();
    if (opened == null || !findStart(opened, commit)) {
      return false;
    }
    if (several ? hasCommits(opened, commit) : hasCommit(opened, commit)) {
      return true;
    }
    if (readAt(opened, 0, header, HEADER_BYTES) < HEADER_BYTES
        || LogFormat.salts(headerView) != commit.salts) {
      throw new IOException(path + " was restarted unexpectedly");
    }
    return false;
  }

  private boolean hasCommit(RandomAccessFile opened, WalCommit commit) throws IOException {
    // Reads the frames of the previous commit as well: they mostly are the earlier images of the
    // same pages, and a separate read of each would cost two system calls.
    int framesBefore = commit.restarted ? 0 : Math.min(lastCommitFrames, SMALL_COMMIT_FRAMES);
    int wantedFrames = framesBefore + Math.max(FIRST_CHUNK_FRAMES, framesBefore);
    while (true) {
      int chunkFrames = readChunk(opened, commit, commit.endFrame() - framesBefore, wantedFrames);
      for (int index = framesBefore; index < chunkFrames; index++) {
        int at = index * LogFormat.frameBytes(commit.pageBytes);
        ByteBuffer view = commit.chunkView;
        if (LogFormat.frameSalts(view, at) != commit.salts) {
          return false;
        }
        commit.add(LogFormat.page(view, at));
        int pagesAfter = LogFormat.pagesAfter(view, at);
        if (pagesAfter != 0) {
          commit.pagesAfter = pagesAfter;
          return true;
        }
      }
      if (chunkFrames < wantedFrames) {
        return false;
      }
      framesBefore = 0;
      wantedFrames = CHUNK_FRAMES;
    }
  }

  /** Frames after the last that ends a commit were left by a transaction that was rolled back. */
  private boolean hasCommits(RandomAccessFile opened, WalCommit commit) throws IOException {
    int framesOfCommits = 0;
    int pagesAfter = 0;
    boolean more = true;
    while (more) {
      int chunkFrames = readChunk(opened, commit, commit.endFrame(), CHUNK_FRAMES);
      more = chunkFrames == CHUNK_FRAMES;
      for (int index = 0; index < chunkFrames; index++) {
        int at = index * LogFormat.frameBytes(commit.pageBytes);
        ByteBuffer view = commit.chunkView;
        if (LogFormat.frameSalts(view, at) != commit.salts) {
          more = false;
          break;
        }
        commit.add(LogFormat.page(view, at));
        if (LogFormat.pagesAfter(view, at) != 0) {
          pagesAfter = LogFormat.pagesAfter(view, at);
          framesOfCommits = commit.frameCount();
        }
      }
    }
    commit.cutTo(framesOfCommits, pagesAfter);
    return framesOfCommits > 0;
  }

  @Override
  public void accept(WalCommit commit) {
    assert commit.frameCount() > 0 && commit.pagesAfter > 0;
    assert commit.restarted ? commit.firstFrame() == 0 : commit.firstFrame() == endFrame;
    if (commit.restarted) {
      frames.clear();
      pageBytes = commit.pageBytes;
      salts = commit.salts;
    }
    mayRestart = false;
    copied = false;
    for (int index = 0; index < commit.frameCount(); index++) {
      frames.put(commit.page(index), commit.firstFrame() + index);
    }
    endFrame = commit.endFrame();
    lastCommitFrames = commit.frameCount();
  }

  @Override
  public Image after(WalCommit commit, int index, byte[] buffer) throws IOException {
    return page(commit, commit.firstFrame() + index, buffer);
  }

  @Override
  public @Nullable Image before(WalCommit commit, int page, byte[] buffer) throws IOException {
    int frame = commit.restarted ? PageIndex.NONE : frames.frame(page);
    return frame == PageIndex.NONE ? null : page(commit, frame, buffer);
  }

  private Image page(WalCommit commit, int frame, byte[] buffer) throws IOException {
    int inChunk = offsetInChunk(commit, frame);
    if (inChunk >= 0) {
      return new Image(commit.chunk, inChunk);
    }
    readPage(frame, commit.pageBytes, buffer);
    return new Image(buffer, 0);
  }

  @Override
  public int[] sums(int pages) throws IOException {
    byte[] page = new byte[pageBytes];
    int[] sums = new int[2 * frames.slots()];
    int length = 0;
    for (int slot = 0; slot < frames.slots(); slot++) {
      int number = frames.page(slot);
      if (number > 0 && number <= pages) {
        readPage(frames.frame(number), pageBytes, page);
        sums[length++] = number;
        sums[length++] = PageSums.sum(page, 0, pageBytes);
      }
    }
    return Arrays.copyOf(sums, length);
  }

  /** Reads the page in a frame. */
  private void readPage(int frame, int pageBytes, byte[] target) throws IOException {
    assert frame >= 0 && pageBytes <= target.length;
    RandomAccessFile opened = open();
    if (opened == null) {
      throw new FileNotFoundException(path.toString());
    }
    long offset = LogFormat.offset(frame, pageBytes) + LogFormat.FRAME_HEADER_BYTES;
    if (readAt(opened, offset, target, pageBytes) < pageBytes) {
      throw new EOFException(path + " ends before frame " + frame);
    }
  }

  /**
   * {@return the offset in {@link WalCommit#chunk} of the page of a frame; -1 if the chunk does not
   * have it}
   */
  private static int offsetInChunk(WalCommit commit, int frame) {
    int index = frame - commit.chunkFirstFrame;
    return index < 0 || index >= commit.chunkFrameCount
        ? -1
        : index * LogFormat.frameBytes(commit.pageBytes) + LogFormat.FRAME_HEADER_BYTES;
  }

  /**
   * Truncates the file after the last accepted commit. SQLite must have closed the file; when it
   * opens it again, it finds exactly the accepted commits.
   */
  public void cutToAccepted() throws IOException {
    close();
    if (!path.toFile().exists()) {
      reset();
      return;
    }
    try (RandomAccessFile writable = new RandomAccessFile(path.toFile(), "rw")) {
      if (endFrame == 0 || wasRestarted(writable)) {
        // Everything accepted had already been copied into the database file.
        writable.setLength(0);
        reset();
      } else {
        writable.setLength(Math.min(writable.length(), acceptedBytes()));
        mayRestart = true; // the connection that opens it decides
      }
    }
  }

  /** Forgets a file that is about to be deleted; all of it was copied. */
  public void forget() throws IOException {
    close();
    reset();
  }

  @Override
  public void close() throws IOException {
    if (file != null) {
      file.close();
      file = null;
    }
  }

  private boolean wasRestarted(RandomAccessFile opened) throws IOException {
    return readAt(opened, 0, header, HEADER_BYTES) < HEADER_BYTES
        || LogFormat.salts(headerView) != salts;
  }

  private void reset() {
    frames.clear();
    pageBytes = 0;
    salts = 0;
    endFrame = 0;
    lastCommitFrames = 0;
    mayRestart = true;
    copied = true;
  }

  /** Finds whether the commit continues after the known end or restarted the file. */
  private boolean findStart(RandomAccessFile opened, WalCommit commit) throws IOException {
    commit.restarted = false;
    commit.salts = salts;
    commit.pageBytes = pageBytes;
    if (mayRestart) {
      if (readAt(opened, 0, header, HEADER_BYTES) < HEADER_BYTES
          || !LogFormat.isBegun(headerView)) {
        return false; // not begun: empty, or cleared by SpareLogs
      }
      long saltsNow = LogFormat.salts(headerView);
      commit.restarted = pageBytes == 0 || saltsNow != salts;
      commit.salts = saltsNow;
      commit.pageBytes = LogFormat.pageBytes(headerView);
      if (!PageSize.isValid(commit.pageBytes)) {
        throw new IOException(path + " says it has pages of " + commit.pageBytes + " bytes");
      }
    }
    commit.begin(commit.restarted ? 0 : endFrame);
    return true;
  }

  /** {@return how many whole frames were read} */
  private static int readChunk(
      RandomAccessFile opened, WalCommit commit, int firstFrame, int wantedFrames)
      throws IOException {
    int frameBytes = LogFormat.frameBytes(commit.pageBytes);
    commit.ensureChunk(wantedFrames * frameBytes);
    commit.chunkFirstFrame = firstFrame;
    long offset = LogFormat.offset(firstFrame, commit.pageBytes);
    int bytes = readAt(opened, offset, commit.chunk, wantedFrames * frameBytes);
    commit.chunkFrameCount = bytes / frameBytes;
    return commit.chunkFrameCount;
  }

  /** SQLite creates the file with the first write, so it may not exist. */
  private @Nullable RandomAccessFile open() throws IOException {
    if (file == null) {
      try {
        file = new RandomAccessFile(path.toFile(), "r");
      } catch (FileNotFoundException e) {
        if (path.toFile().exists()) {
          throw e;
        }
        return null;
      }
    }
    return file;
  }

  private static int readAt(RandomAccessFile opened, long offset, byte[] target, int length)
      throws IOException {
    opened.seek(offset);
    int total = 0;
    while (total < length) {
      int count = opened.read(target, total, length - total);
      if (count < 0) {
        break;
      }
      total += count;
    }
    return total;
  }
}
