package dev.holdfast.journal.replica;

import dev.holdfast.ObjectId;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.log.NodeId;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the log of a shard; {@code docs/formats/log-entry.md} has the layout. Immutable,
 * except for the bytes that it refers to.
 */
public sealed interface LogEntry {

  /** The oldest version that this code reads. */
  int VERSION_MIN = 2;

  /** The newest version that this code reads; it writes the one that its cluster has agreed on. */
  int VERSION = 3;

  /** The first version with {@link Purge} and {@link Filler}. */
  int VERSION_OF_PURGES = 3;

  /** Length of the envelope in bytes. */
  int ENVELOPE_BYTES = 24;

  /** {@return the ownership that it belongs to: the index of its {@link Open}; 0 for that entry} */
  long epoch();

  /**
   * A node takes the shard. The index of this entry is its epoch.
   *
   * @param journalId the id of the shard's journal; the id of the first such entry counts
   * @param incarnation which of its copies of the shard the node has: a lost one is never continued
   * @param nonce by which the node recognises its own entry
   * @param wallMillis the node's clock when it proposed this, milliseconds since 1970
   * @param lastPosition the last record that its copy had then: every replica has it, too
   * @param agreedVersion the version of the entries of this ownership: every member reads it, as
   *     far as the node knows
   * @param leaseMillis how long it may answer without a proof after it has proposed a group that is
   *     accepted, in milliseconds; 0 if it never does
   * @param node the node
   */
  record Open(
      long journalId,
      long incarnation,
      long nonce,
      long wallMillis,
      long lastPosition,
      int agreedVersion,
      long leaseMillis,
      NodeId node)
      implements LogEntry {

    @Override
    public long epoch() {
      return 0;
    }
  }

  /**
   * A group of the journal, or its last part. Without records it is a proof: it shows its owner
   * that no other node had opened the shard before it.
   *
   * @param epoch the ownership
   * @param firstPosition the position of its first record; accepted if it is the next one
   * @param place where it goes; for a proof, {@link Place#NONE}
   * @param partBytes how many of its bytes came in parts; 0 if none
   * @param bytes the rest of its bytes, as they are in the segment
   */
  record Group(long epoch, long firstPosition, Place place, long partBytes, ByteBuffer bytes)
      implements LogEntry {

    /** {@return whether it has no records} */
    public boolean isProof() {
      return !bytes.hasRemaining();
    }
  }

  /**
   * The place of a group in the journal. The group at the start of a segment begins it.
   *
   * @param segment first position of the segment
   * @param offsetBytes in the segment
   * @param segmentBytes size of the segment
   * @param segmentMillis when the segment was begun, by the owner's clock, milliseconds since 1970
   */
  record Place(long segment, long offsetBytes, long segmentBytes, long segmentMillis) {

    /** Of a group without bytes. */
    public static final Place NONE = new Place(0, 0, 0, 0);
  }

  /**
   * A part of a group that is too long for one entry. Means nothing without the {@link Group} that
   * follows.
   *
   * @param epoch the ownership
   * @param offsetBytes of the part in the group
   * @param bytes the bytes
   */
  record Part(long epoch, long offsetBytes, ByteBuffer bytes) implements LogEntry {}

  /**
   * The owner gives the shard up: no later group of its epoch is accepted.
   *
   * @param epoch the ownership
   */
  record Release(long epoch) implements LogEntry {}

  /**
   * History is given from a position on, on every replica: each drops the segments before it that
   * its own files do not need. Accepted if it is of the last ownership, and later than what is
   * given until then.
   *
   * @param epoch the ownership
   * @param position the first position of the oldest segment that is kept
   * @param wallMillis the owner's clock when it decided this, milliseconds since 1970
   */
  record Retain(long epoch, long position, long wallMillis) implements LogEntry {}

  /**
   * Records of objects become void in the segments of every replica. Accepted if it is of the last
   * ownership, and its segment has begun.
   *
   * @param epoch the ownership
   * @param segment the segments that end before this one, by its first position, are written again
   * @param salt from which the new segments have theirs, alike on every replica
   * @param extents the objects, each with the last position that may be one of its records
   */
  record Purge(long epoch, long segment, long salt, List<Extent> extents) implements LogEntry {

    /** What an extent takes beside its namespace, in bytes. */
    public static final int EXTENT_BYTES = 42;

    /** Copies the list. */
    public Purge {
      extents = List.copyOf(extents);
    }

    /** {@return the salt of a segment that this entry replaces} */
    public long saltOf(long first) {
      long mixed = (salt ^ first) * 0x9E3779B97F4A7C15L;
      return mixed ^ (mixed >>> 32);
    }

    /** {@return the last position of all extents} */
    public long last() {
      return extents.stream().mapToLong(Extent::upTo).max().orElse(0);
    }
  }

  /**
   * What a purge takes of an object.
   *
   * @param key the object
   * @param upTo the last position that may be one of its records
   */
  record Extent(ObjectKey key, long upTo) {}

  /**
   * Means nothing: lets the files of a log become full that have what was purged.
   *
   * @param epoch the ownership
   * @param bytes how long the body is, all zeros
   */
  record Filler(long epoch, int bytes) implements LogEntry {}

  /**
   * Returns the bytes of this entry, in the newest version.
   *
   * @return a new buffer, from position to limit
   */
  default ByteBuffer encode() {
    return encode(VERSION);
  }

  /**
   * Returns the bytes of this entry.
   *
   * @param version the version that they are to have; the versions so far are alike but for their
   *     number
   * @return a new buffer, from position to limit
   */
  default ByteBuffer encode(int version) {
    ByteBuffer bytes = body();
    bytes.put(0, (byte) version);
    return bytes.putInt(4, checksum(bytes));
  }

  private ByteBuffer body() {
    return switch (this) {
      case Open open -> {
        byte[] name = open.node().name().getBytes(StandardCharsets.US_ASCII);
        ByteBuffer target = begin(1, 0, 56 + name.length);
        target.putLong(open.journalId()).putLong(open.incarnation()).putLong(open.nonce());
        target.putLong(open.wallMillis()).putLong(open.lastPosition());
        target.putLong(open.agreedVersion()).putLong(open.leaseMillis()).put(name);
        yield target.flip();
      }
      case Group group -> {
        ByteBuffer target = begin(2, group.epoch(), 48 + group.bytes().remaining());
        Place place = group.place();
        target.putLong(group.firstPosition()).putLong(place.segment()).putLong(place.offsetBytes());
        target.putLong(place.segmentBytes()).putLong(place.segmentMillis());
        target.putLong(group.partBytes()).put(group.bytes().duplicate());
        yield target.flip();
      }
      case Part part -> {
        ByteBuffer target = begin(3, part.epoch(), 8 + part.bytes().remaining());
        target.putLong(part.offsetBytes()).put(part.bytes().duplicate());
        yield target.flip();
      }
      case Release release -> begin(4, release.epoch(), 0).flip();
      case Retain retain ->
          begin(5, retain.epoch(), 16)
              .putLong(retain.position())
              .putLong(retain.wallMillis())
              .flip();
      case Purge purge -> purgeBody(purge);
      case Filler filler ->
          begin(7, filler.epoch(), filler.bytes()).position(ENVELOPE_BYTES + filler.bytes()).flip();
    };
  }

  private static ByteBuffer purgeBody(Purge purge) {
    List<byte[]> namespaces =
        purge.extents().stream()
            .map(each -> each.key().namespace().getBytes(StandardCharsets.UTF_8))
            .toList();
    int length = namespaces.stream().mapToInt(each -> each.length + Purge.EXTENT_BYTES).sum();
    ByteBuffer target = begin(6, purge.epoch(), 16 + length);
    target.putLong(purge.segment()).putLong(purge.salt());
    for (int i = 0; i < namespaces.size(); i++) {
      Extent extent = purge.extents().get(i);
      byte[] namespace = namespaces.get(i);
      target.putLong(extent.upTo()).put(extent.key().id().toBytes());
      target.putShort((short) namespace.length).put(namespace);
    }
    return target.flip();
  }

  private static ByteBuffer begin(int kind, long epoch, int bodyBytes) {
    ByteBuffer target = ByteBuffer.allocate(ENVELOPE_BYTES + bodyBytes);
    return target
        .put((byte) 0)
        .put((byte) kind)
        .putShort((short) 0)
        .putInt(0)
        .putLong(epoch)
        .putInt(bodyBytes)
        .putInt(0);
  }

  /** Of everything but itself. */
  private static int checksum(ByteBuffer entry) {
    CRC32C crc = new CRC32C();
    crc.update(entry.slice(0, 4));
    crc.update(entry.slice(8, entry.limit() - 8));
    return (int) crc.getValue();
  }

  /**
   * Reads an entry.
   *
   * @param entry the bytes between position and limit, which do not change; the result refers to
   *     them
   * @return the entry
   * @throws IllegalArgumentException if it is malformed, or of a version that this code does not
   *     know
   */
  static LogEntry decode(ByteBuffer entry) {
    return decode(entry, VERSION);
  }

  /**
   * Reads an entry.
   *
   * @param entry the bytes between position and limit, which do not change; the result refers to
   *     them
   * @param newest the newest version that is read
   * @return the entry
   * @throws IllegalArgumentException if it is malformed, or of another version
   */
  static LogEntry decode(ByteBuffer entry, int newest) {
    int length = entry.remaining();
    if (length < ENVELOPE_BYTES) {
      throw new IllegalArgumentException("An entry of the log has only " + length + " bytes.");
    }
    ByteBuffer source = entry.slice();
    int version = source.get();
    int kind = source.get();
    int zero = source.getShort();
    if (source.getInt() != checksum(source)) {
      throw new IllegalArgumentException("An entry of the log has a wrong checksum.");
    }
    if (version < VERSION_MIN || version > newest) {
      throw new IllegalArgumentException(
          "An entry of the log has version "
              + version
              + ", this node reads "
              + VERSION_MIN
              + " to "
              + newest
              + ": install the version of Holdfast that the other nodes have.");
    }
    long epoch = source.getLong();
    int bodyBytes = source.getInt();
    LogEntry read =
        zero == 0 && source.getInt() == 0 && bodyBytes == source.remaining()
            ? read(version, kind, epoch, source)
            : null;
    if (read == null) {
      throw new IllegalArgumentException("An entry of the log of kind " + kind + " is malformed.");
    }
    return read;
  }

  private static @Nullable LogEntry read(int version, int kind, long epoch, ByteBuffer body) {
    int length = body.remaining();
    if (version < VERSION_OF_PURGES && kind > 5) {
      return null;
    }
    return switch (kind) {
      case 1 -> epoch == 0 && length > 56 ? open(body) : null;
      case 2 -> length >= 48 ? group(epoch, body) : null;
      case 3 -> length > 8 ? new Part(epoch, body.getLong(), body.slice()) : null;
      case 4 -> length == 0 ? new Release(epoch) : null;
      case 5 -> length == 16 ? new Retain(epoch, body.getLong(), body.getLong()) : null;
      case 6 -> length > 16 ? purge(epoch, body) : null;
      case 7 -> isZero(body) ? new Filler(epoch, length) : null;
      default -> null;
    };
  }

  private static Open open(ByteBuffer body) {
    long journalId = body.getLong();
    long incarnation = body.getLong();
    long nonce = body.getLong();
    long wallMillis = body.getLong();
    long lastPosition = body.getLong();
    long agreedVersion = body.getLong();
    long leaseMillis = body.getLong();
    return new Open(
        journalId,
        incarnation,
        nonce,
        wallMillis,
        lastPosition,
        Math.toIntExact(agreedVersion),
        leaseMillis,
        new NodeId(StandardCharsets.US_ASCII.decode(body).toString()));
  }

  private static Group group(long epoch, ByteBuffer body) {
    long firstPosition = body.getLong();
    Place place = new Place(body.getLong(), body.getLong(), body.getLong(), body.getLong());
    return new Group(epoch, firstPosition, place, body.getLong(), body.slice());
  }

  private static @Nullable Purge purge(long epoch, ByteBuffer body) {
    try {
      long segment = body.getLong();
      long salt = body.getLong();
      List<Extent> extents = new ArrayList<>();
      while (body.hasRemaining()) {
        long upTo = body.getLong();
        byte[] id = new byte[ObjectId.LENGTH_BYTES];
        body.get(id);
        byte[] namespace = new byte[Short.toUnsignedInt(body.getShort())];
        body.get(namespace);
        ObjectKey key =
            new ObjectKey(new String(namespace, StandardCharsets.UTF_8), ObjectId.of(id, null));
        extents.add(new Extent(key, upTo));
      }
      return new Purge(epoch, segment, salt, extents);
    } catch (BufferUnderflowException e) {
      return null;
    }
  }

  private static boolean isZero(ByteBuffer body) {
    while (body.hasRemaining()) {
      if (body.get() != 0) {
        return false;
      }
    }
    return true;
  }
}
