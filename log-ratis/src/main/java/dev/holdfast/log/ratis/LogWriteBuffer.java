package dev.holdfast.log.ratis;

import dev.holdfast.log.ratis.threads.RatisInternals;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.raftlog.RaftLog;

/**
 * The memory in which Ratis puts entries together before it writes them: 2 MiB for each shard, for
 * the longest entries, and Ratis 3.3.0 fills it with zeros at once. Here it is a private mapping of
 * a file that is empty and deleted: the operating system gives a page when something is written to
 * it, so an idle shard takes one or two.
 */
final class LogWriteBuffer {

  private static final String NAME = "buffer";
  private static final String SUFFIX = ".tmp";

  private LogWriteBuffer() {}

  /**
   * Replaces the buffer of a log, if nothing can be written to it now. Called before the member
   * hears others. The buffer of before is left to the collector.
   *
   * @param division has the log
   * @param directory where a file may be created
   * @return whether it was replaced; else it is used as Ratis has made it
   * @throws IllegalStateException if Ratis is another version than this module was built with
   */
  static boolean replace(RaftServer.Division division, Path directory) {
    RaftLog log = division.getRaftLog();
    Object worker = RatisInternals.valueOf(log, "fileLogWorker");
    ByteBuffer old = (ByteBuffer) RatisInternals.valueOf(worker, "writeBuffer");
    ByteBuffer mapped;
    try {
      mapped = map(directory, old.capacity());
    } catch (IOException e) {
      return false; // a disk that cannot even do that is met by the first entry
    }
    synchronized (division) { // a leader begins to write with it
      boolean isQuiet =
          division.getInfo().isFollower()
              && log.getFlushIndex() == log.getNextIndex() - 1
              && old.position() == 0;
      if (isQuiet) {
        Object open = RatisInternals.find(worker, "out");
        if (open != null) {
          RatisInternals.set(RatisInternals.valueOf(open, "out"), "writeBuffer", mapped);
        }
        RatisInternals.set(worker, "writeBuffer", mapped);
      }
      return isQuiet;
    }
  }

  private static ByteBuffer map(Path directory, int bytes) throws IOException {
    deleteLeft(directory);
    Path file = Files.createTempFile(directory, NAME, SUFFIX);
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.DELETE_ON_CLOSE)) {
      return channel.map(FileChannel.MapMode.PRIVATE, 0, bytes);
    }
  }

  /** A process that was killed before its file was deleted has left it. */
  private static void deleteLeft(Path directory) throws IOException {
    try (DirectoryStream<Path> left = Files.newDirectoryStream(directory, NAME + "*" + SUFFIX)) {
      for (Path each : left) {
        Files.deleteIfExists(each);
      }
    }
  }
}
