package dev.holdfast.backend.sqlite.wal;

import dev.holdfast.backend.sqlite.wal.BatchWriter.Image;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * What the commits of an open database have written that its file does not have yet: a {@code -wal}
 * file, or the pages of a database that is in memory. A commit that was read is <em>accepted</em>
 * when it is sealed. Confined to the holder of the database.
 */
public sealed interface CommitLog permits WalFile, MemoryPages {

  /**
   * Finds what the commit that has just succeeded has written.
   *
   * @param commit receives the pages
   * @return false if it has written nothing
   * @throws IOException if it cannot be read: a commit that wrote something must not be taken for
   *     an empty one
   */
  boolean read(WalCommit commit) throws IOException;

  /**
   * Finds what all commits since the last accepted one have written, as if they were one commit.
   *
   * @param commit receives the pages
   * @return false if they have written nothing
   * @throws IOException as {@link #read}
   */
  boolean readAll(WalCommit commit) throws IOException;

  /**
   * {@return a number for the end of the commit that was just read; another one as soon as more is
   * written}
   *
   * @param commit the commit
   */
  int end(WalCommit commit);

  /**
   * Accepts the commit that was just read.
   *
   * @param commit the commit
   */
  void accept(WalCommit commit);

  /**
   * Returns a page after a commit that was just read.
   *
   * @param commit the commit
   * @param index which of its pages
   * @param buffer for the page, if it must be read; at least as long as a page
   * @return the page; valid until the next call with the same buffer
   * @throws IOException if it cannot be read
   */
  Image after(WalCommit commit, int index, byte[] buffer) throws IOException;

  /**
   * Returns a page before a commit that was just read.
   *
   * @param commit the commit
   * @param page the number of the page
   * @param buffer as for {@link #after}
   * @return the page; null if the database file has it
   * @throws IOException if it cannot be read
   */
  @Nullable Image before(WalCommit commit, int page, byte[] buffer) throws IOException;

  /** {@return whether accepted commits are not in the database file} */
  boolean hasUncopied();

  /**
   * Returns the checksums of the pages that a copy would write.
   *
   * @param pages how many pages the database has; later ones are ignored
   * @return alternating page numbers and checksums
   * @throws IOException if they cannot be read
   */
  int[] sums(int pages) throws IOException;

  /**
   * Ends the use. The database is not used any more, or its connection is about to be replaced.
   *
   * @throws IOException if a file cannot be closed
   */
  void close() throws IOException;
}
