package dev.holdfast.journal;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The identity that the owner of a data directory writes into {@code LOCK}: a line with its
 * process, the start time of that process, a random number that no other owner has, and the
 * identity of the file it was written to, which differs in a copy of the directory. An empty file
 * has no owner. Immutable.
 *
 * @param line the text, without the end of the line
 */
record DirectoryOwner(String line) {

  static final DirectoryOwner NOBODY = new DirectoryOwner("");

  static final int BYTES_MAX = 256;

  /**
   * Process start times are computed from the time of the last boot, which a clock change may move.
   */
  private static final Duration TOLERANCE = Duration.ofSeconds(1);

  private static final String FORM = "holdfast-2";

  /** Without the file. */
  private static final String FORM_1 = "holdfast-1";

  private static final String UNKNOWN = "-";

  /**
   * {@return an owner in this process, unlike any other}
   *
   * @param fileKey a key that distinguishes the file from others; null if the system has none
   */
  static DirectoryOwner ofThisProcess(@Nullable Object fileKey) {
    LongSupplier random = JournalOptions.DEFAULT.salts();
    ProcessHandle process = ProcessHandle.current();
    return new DirectoryOwner(
        String.join(
            " ",
            FORM,
            Long.toString(process.pid()),
            process.info().startInstant().map(Instant::toString).orElse(UNKNOWN),
            HexFormat.of().toHexDigits(random.getAsLong())
                + HexFormat.of().toHexDigits(random.getAsLong()),
            word(fileKey)));
  }

  private static String word(@Nullable Object fileKey) {
    return fileKey == null ? UNKNOWN : fileKey.toString().replaceAll("\\s", "");
  }

  static DirectoryOwner decode(byte[] content, int length) {
    return new DirectoryOwner(
        new String(content, 0, Math.max(0, length), StandardCharsets.UTF_8).strip());
  }

  byte[] encode() {
    return line.isEmpty() ? new byte[0] : (line + "\n").getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Returns whether another process that wrote this, and to this file, is certainly alive. A
   * process that has ended but was not yet waited for is not: its command can no longer be read.
   *
   * @param fileKey the key of the file that this was read from; null if unknown
   */
  boolean isAliveElsewhere(@Nullable Object fileKey) {
    String[] words = line.split(" ", -1);
    boolean isOwner =
        (words.length == 5 && words[0].equals(FORM))
            || (words.length == 4 && words[0].equals(FORM_1));
    if (!isOwner || !words[1].matches("[0-9]{1,18}") || isCopy(words, word(fileKey))) {
      return false;
    }
    long pid = Long.parseLong(words[1]);
    Optional<ProcessHandle.Info> found =
        pid == ProcessHandle.current().pid()
            ? Optional.empty()
            : ProcessHandle.of(pid).filter(ProcessHandle::isAlive).map(ProcessHandle::info);
    return found
        .filter(info -> info.command().isPresent())
        .flatMap(ProcessHandle.Info::startInstant)
        .filter(started -> isAbout(started, words[2]))
        .isPresent();
  }

  private static boolean isCopy(String[] words, String key) {
    return words.length == 5
        && !words[4].equals(key)
        && !words[4].equals(UNKNOWN)
        && !key.equals(UNKNOWN);
  }

  private static boolean isAbout(Instant started, String text) {
    try {
      return Duration.between(started, Instant.parse(text)).abs().compareTo(TOLERANCE) <= 0;
    } catch (DateTimeException e) {
      return false; // not written by us
    }
  }
}
