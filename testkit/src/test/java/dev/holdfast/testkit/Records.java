package dev.holdfast.testkit;

import dev.holdfast.ObjectId;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Objects and records for tests of the testkit. */
final class Records {

  static final int VIEW_ID = 7;

  private Records() {}

  static ObjectKey object(int number) {
    byte[] bytes = new byte[ObjectId.LENGTH_BYTES];
    ByteBuffer.wrap(bytes).putInt(number);
    return new ObjectKey("tests", ObjectId.of(bytes, null));
  }

  static long append(Journal journal, String payload) {
    ByteBuffer bytes = ByteBuffer.wrap(payload.getBytes(StandardCharsets.UTF_8));
    return journal.append(RecordKind.BATCH, VIEW_ID, object(1), ChainLink.FIRST, bytes);
  }
}
