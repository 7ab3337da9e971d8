package dev.holdfast.cluster.event;

import dev.holdfast.ObjectId;
import dev.holdfast.spi.ObjectKey;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * An event that an object has published. {@code docs/formats/call-protocol.md} has its bytes.
 *
 * @param shard the shard of the object
 * @param epoch the ownership in which it was published
 * @param key the object
 * @param topic the topic
 * @param value the encoded event
 */
record PublishedEvent(int shard, long epoch, ObjectKey key, String topic, ByteBuffer value) {

  /** Makes the bytes unchangeable. */
  PublishedEvent {
    value = value.asReadOnlyBuffer();
  }

  /** {@return the encoded event} */
  byte[] encoded() {
    byte[] bytes = new byte[value.remaining()];
    value.duplicate().get(bytes);
    return bytes;
  }

  /** {@return about how many bytes it has on its way} */
  int bytes() {
    return value.remaining()
        + topic.length()
        + key.namespace().length()
        + 2 * ObjectId.LENGTH_BYTES;
  }

  /** {@return events as bytes} */
  static byte[] write(List<PublishedEvent> events) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      for (PublishedEvent each : events) {
        out.writeShort(each.shard);
        out.writeLong(each.epoch);
        out.writeUTF(each.key.namespace());
        out.write(each.key.id().toBytes());
        out.writeUTF(each.topic);
        byte[] encoded = each.encoded();
        out.writeInt(encoded.length);
        out.write(encoded);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /**
   * {@return the events that some bytes stand for}
   *
   * @throws IllegalArgumentException if they are not events
   */
  static List<PublishedEvent> read(byte[] bytes) {
    List<PublishedEvent> events = new ArrayList<>();
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      while (in.available() > 0) {
        int shard = in.readUnsignedShort();
        long epoch = in.readLong();
        String namespace = in.readUTF();
        byte[] id = in.readNBytes(ObjectId.LENGTH_BYTES);
        String topic = in.readUTF();
        int length = in.readInt();
        if (length < 0 || length > in.available()) {
          throw new IOException("an event has " + length + " bytes");
        }
        ObjectKey key = new ObjectKey(namespace, ObjectId.of(id, /* name= */ null));
        events.add(
            new PublishedEvent(shard, epoch, key, topic, ByteBuffer.wrap(in.readNBytes(length))));
      }
    } catch (IOException e) {
      throw new IllegalArgumentException("These are not events: " + e.getMessage(), e);
    }
    return events;
  }
}
