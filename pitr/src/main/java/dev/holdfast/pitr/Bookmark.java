package dev.holdfast.pitr;

import dev.holdfast.BookmarkException;
import dev.holdfast.BookmarkException.Reason;
import dev.holdfast.spi.ObjectKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A moment in the history of one object; {@code docs/formats/recovery.md} has the text form.
 * Immutable.
 *
 * <p>Ordered by time: by epoch, then position, then flag. An epoch is the time between two restores
 * of the object. The state at the end of an epoch, just before the next restore, has a bookmark
 * even before that restore happens, {@link #endOf}. It is later than all others of the epoch and
 * earlier than all of the next one.
 *
 * @param epoch position of the last restore at or before the moment; 0 if there was none
 * @param position the position up to which, inclusive, the object's batches belong to the state
 * @param withNextBatch whether the first batch after the position also belongs to the state
 */
record Bookmark(long epoch, long position, boolean withNextBatch) {

  private static final long END = RecoveryBounds.POSITION_MAX + 1;

  private static final int MOMENT_BYTES = 12;
  private static final int OWNER_BYTES = 8;
  private static final int CHECK_BYTES = 8;

  Bookmark {
    if (epoch < 0 || epoch > RecoveryBounds.POSITION_MAX || position < 0 || position > END) {
      throw new IllegalArgumentException("Epoch " + epoch + ", position " + position);
    }
  }

  /** {@return the state just before the restore that will end, or has ended, an epoch} */
  static Bookmark endOf(long epoch) {
    return new Bookmark(epoch, END, false);
  }

  boolean isEndOfEpoch() {
    return position == END;
  }

  /** {@return the text form of a moment of an object} */
  String toText(ObjectKey key, long journalId) {
    byte[] bytes = new byte[MOMENT_BYTES + OWNER_BYTES + CHECK_BYTES];
    long moment = position << 1 | (withNextBatch ? 1 : 0);
    ByteBuffer target = ByteBuffer.wrap(bytes);
    target.putShort((short) (epoch >>> 32)).putInt((int) epoch);
    target.putShort((short) (moment >>> 32)).putInt((int) moment);
    target.put(owner(key, journalId), 0, OWNER_BYTES);
    target.put(check(bytes), 0, CHECK_BYTES);
    String hex = HexFormat.of().formatHex(bytes);
    return hex.substring(0, 8)
        + '-'
        + hex.substring(8, 16)
        + '-'
        + hex.substring(16, 24)
        + '-'
        + hex.substring(24);
  }

  /**
   * Reads the text form.
   *
   * @throws BookmarkException if the text is not a bookmark, or one of another object
   */
  static Bookmark of(String text, ObjectKey key, long journalId) {
    byte[] bytes = bytesOf(text);
    if (bytes == null || !startsWith(bytes, MOMENT_BYTES + OWNER_BYTES, check(bytes))) {
      throw new BookmarkException(
          key.namespace(),
          key.id(),
          Reason.MALFORMED,
          "This is not a bookmark: \""
              + shortened(text)
              + "\". Pass it exactly as it was returned.");
    }
    if (!startsWith(bytes, MOMENT_BYTES, owner(key, journalId))) {
      throw new BookmarkException(
          key.namespace(),
          key.id(),
          Reason.OTHER_OBJECT,
          "The bookmark "
              + text
              + " belongs to another object, or to another data"
              + " directory. Use one that this object has returned.");
    }
    ByteBuffer source = ByteBuffer.wrap(bytes);
    long epoch = (source.getShort() & 0xFFFFL) << 32 | (source.getInt() & 0xFFFFFFFFL);
    long moment = (source.getShort() & 0xFFFFL) << 32 | (source.getInt() & 0xFFFFFFFFL);
    return new Bookmark(epoch, moment >>> 1, (moment & 1) != 0);
  }

  private static byte @Nullable [] bytesOf(String text) {
    boolean shaped =
        text.length() == RecoveryBounds.BOOKMARK_CHARS
            && text.charAt(8) == '-'
            && text.charAt(17) == '-'
            && text.charAt(26) == '-';
    if (!shaped) {
      return null;
    }
    String hex =
        text.substring(0, 8) + text.substring(9, 17) + text.substring(18, 26) + text.substring(27);
    for (int i = 0; i < hex.length(); i++) {
      char digit = hex.charAt(i);
      if ((digit < '0' || digit > '9') && (digit < 'a' || digit > 'f')) {
        return null;
      }
    }
    return HexFormat.of().parseHex(hex);
  }

  private static boolean startsWith(byte[] bytes, int offset, byte[] expected) {
    for (int i = 0; i < 8; i++) {
      if (bytes[offset + i] != expected[i]) {
        return false;
      }
    }
    return true;
  }

  private static byte[] owner(ObjectKey key, long journalId) {
    MessageDigest digest = digest();
    digest.update(ByteBuffer.allocate(Long.BYTES).putLong(0, journalId));
    digest.update(key.id().toBytes());
    digest.update(key.namespace().getBytes(StandardCharsets.UTF_8));
    return digest.digest();
  }

  private static byte[] check(byte[] bytes) {
    MessageDigest digest = digest();
    digest.update(bytes, 0, MOMENT_BYTES + OWNER_BYTES);
    return digest.digest();
  }

  private static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256", e);
    }
  }

  private static String shortened(String text) {
    int max = RecoveryBounds.SHOWN_CHARS_MAX;
    return text.length() <= max ? text : text.substring(0, max) + "...";
  }
}
