package dev.holdfast.verify;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteOptions;

/**
 * Makes journal and files of a closed directory disagree, as a mistake of Holdfast or of a disk
 * would that returns what it was not given: all checksums are right.
 */
final class PlantedDivergence {

  private static final int HEADER_BYTES = 4096;
  private static final int GROUP_BYTES = 64;
  private static final int RECORD_BYTES = 64;

  private PlantedDivergence() {}

  /** Replaces the value of a key of an object in RocksDB. */
  static void inRocksDb(Path data, String key) throws RocksDBException {
    RocksDB.loadLibrary();
    List<ColumnFamilyHandle> families = new ArrayList<>();
    try (DBOptions options = new DBOptions();
        ColumnFamilyOptions plain = new ColumnFamilyOptions();
        WriteOptions unlogged = new WriteOptions().setDisableWAL(true);
        FlushOptions flush = new FlushOptions();
        RocksDB rocks =
            RocksDB.open(
                options,
                data.resolve("rocksdb").toString(),
                List.of(
                    new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, plain),
                    new ColumnFamilyDescriptor("meta".getBytes(StandardCharsets.US_ASCII), plain),
                    new ColumnFamilyDescriptor(
                        "catalog".getBytes(StandardCharsets.US_ASCII), plain)),
                families)) {
      ColumnFamilyHandle pairs = families.getFirst();
      byte[] found = keyEndingWith(rocks, pairs, key);
      byte[] value = rocks.get(pairs, found);
      value[value.length - 1] ^= 1;
      rocks.put(pairs, unlogged, found, value);
      rocks.flush(flush, pairs);
      families.forEach(ColumnFamilyHandle::close);
    }
  }

  private static byte[] keyEndingWith(RocksDB rocks, ColumnFamilyHandle pairs, String end) {
    try (RocksIterator iterator = rocks.newIterator(pairs)) {
      for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
        if (new String(iterator.key(), StandardCharsets.ISO_8859_1).endsWith(end)) {
          return iterator.key();
        }
      }
    }
    throw new IllegalStateException("no key ends with " + end);
  }

  /**
   * Changes a byte in the journal of a directory or an archive: the last record of a namespace that
   * has the text gets another one, and record, group and digest get the checksums of it. The files
   * of objects stay as they were.
   */
  static void inJournal(Path place, String namespace, String text) throws IOException {
    byte[] wanted = text.getBytes(StandardCharsets.ISO_8859_1);
    for (Path segment : segments(place).reversed()) {
      ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(segment));
      int last = -1;
      for (int group = HEADER_BYTES; isGroup(bytes, group); group = endOfGroup(bytes, group)) {
        last = offsets(bytes, group, namespace, wanted).isEmpty() ? last : group;
      }
      if (last >= 0) {
        change(bytes, last, offsets(bytes, last, namespace, wanted));
        Files.write(segment, bytes.array());
        return;
      }
    }
    throw new IllegalStateException("no record has " + text);
  }

  /** {@return segments, or chunks, which are the same without spare room} */
  private static List<Path> segments(Path place) throws IOException {
    try (Stream<Path> files = Files.walk(place.resolve("journal"))) {
      return files.filter(file -> file.toString().matches(".*(log|chunk)")).sorted().toList();
    }
  }

  private static boolean isGroup(ByteBuffer bytes, int at) {
    return at + GROUP_BYTES <= bytes.capacity()
        && bytes.getInt(at) == 0x48475250
        && bytes.getLong(at + 8) == bytes.getLong(32);
  }

  private static int endOfGroup(ByteBuffer bytes, int group) {
    return group + GROUP_BYTES + (int) bytes.getLong(group + 32);
  }

  private static int find(ByteBuffer bytes, byte[] wanted, int from, int to) {
    for (int at = from; at + wanted.length <= to; at++) {
      if (bytes.slice(at, wanted.length).equals(ByteBuffer.wrap(wanted))) {
        return at;
      }
    }
    return -1;
  }

  /** {@return where payloads of a namespace have some bytes, by the offset of the record} */
  private static Map<Integer, Integer> offsets(
      ByteBuffer bytes, int group, String namespace, byte[] wanted) {
    Map<Integer, Integer> offsets = new TreeMap<>();
    for (int record : records(bytes, group)) {
      int payload = payload(bytes, record);
      int at = find(bytes, wanted, payload, payload + bytes.getInt(record));
      String found =
          new String(
              bytes.array(),
              record + RECORD_BYTES,
              bytes.getShort(record + 18),
              StandardCharsets.UTF_8);
      if (at >= 0 && found.equals(namespace)) {
        offsets.put(record, at + wanted.length / 2);
      }
    }
    return offsets;
  }

  private static List<Integer> records(ByteBuffer bytes, int group) {
    List<Integer> records = new ArrayList<>();
    int record = group + GROUP_BYTES;
    for (int i = 0; i < bytes.getInt(group + 24); i++) {
      records.add(record);
      record = (payload(bytes, record) + bytes.getInt(record) + 7) & ~7;
    }
    return records;
  }

  private static int payload(ByteBuffer bytes, int record) {
    return record + RECORD_BYTES + bytes.getShort(record + 18);
  }

  /** {@code docs/formats/journal.md} has the layout. */
  private static void change(ByteBuffer bytes, int group, Map<Integer, Integer> offsets) {
    CRC32C digest = new CRC32C();
    for (int record : records(bytes, group)) {
      Integer at = offsets.get(record);
      if (at != null) {
        bytes.put(at, (byte) (bytes.get(at) ^ 1));
        int payload = payload(bytes, record);
        CRC32C sum = new CRC32C();
        sum.update(bytes.array(), payload, bytes.getInt(record));
        sum.update(bytes.array(), record + 8, payload - record - 8);
        bytes.putInt(record + 4, (int) sum.getValue());
      }
      digest.update(bytes.array(), record + 4, 4);
    }
    bytes.putInt(group + 28, (int) digest.getValue());
    CRC32C header = new CRC32C();
    header.update(bytes.array(), group + 8, GROUP_BYTES - 8);
    bytes.putInt(group + 4, (int) header.getValue());
  }
}
