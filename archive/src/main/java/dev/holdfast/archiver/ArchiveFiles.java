package dev.holdfast.archiver;

import dev.holdfast.archive.ArchiveContent;
import dev.holdfast.archive.ArchiveEntry;
import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.errors.ArchiveException;
import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.journal.file.JournalChunk;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The entries of an archive by what they mean; {@code docs/formats/archive.md} has their names.
 * Thread-safe if the store is.
 */
final class ArchiveFiles {

  private static final String GENERATIONS = "generations/";
  private static final String CHUNKS = "journal/";
  private static final String CHUNK_SUFFIX = ".chunk";

  /** All that an archive has. */
  static final List<String> FOLDERS = List.of(GENERATIONS, CHUNKS, BaseFiles.BASES);

  private static final Pattern NUMBER = Pattern.compile("[0-9a-f]{16}");
  private static final Pattern CHUNK =
      Pattern.compile("journal/([0-9a-f]{16})/([0-9a-f]{16})\\.chunk");
  private static final int PAGE = 1_000;

  private final ArchiveStore store;

  ArchiveFiles(ArchiveStore store) {
    this.store = store;
  }

  /** {@return the newest generation; null if there is none} */
  @Nullable Generation newest() throws IOException {
    List<ArchiveEntry> all = all(GENERATIONS);
    return all.isEmpty() ? null : read(all.getLast().name());
  }

  /** {@return all generations, oldest first} */
  List<Generation> generations() throws IOException {
    List<Generation> generations = new ArrayList<>();
    for (ArchiveEntry entry : all(GENERATIONS)) {
      generations.add(read(entry.name()));
    }
    return generations;
  }

  /** {@return a generation; null if there is no such} */
  @Nullable Generation generation(long number) throws IOException {
    String name = nameOf(number);
    byte[] content = bytes(name);
    return content == null ? null : decode(content, name);
  }

  /** {@return the numbers of the generations, in order; other names are skipped} */
  List<Long> numbers() throws IOException {
    List<Long> numbers = new ArrayList<>();
    for (ArchiveEntry entry : all(GENERATIONS)) {
      String name = entry.name().substring(GENERATIONS.length());
      if (NUMBER.matcher(name).matches()) {
        numbers.add(Long.parseUnsignedLong(name, 16));
      }
    }
    return numbers;
  }

  private Generation read(String name) throws IOException {
    byte[] content = bytes(name);
    if (content == null) {
      throw new IOException(describe(name) + " was deleted meanwhile");
    }
    return decode(content, name);
  }

  private Generation decode(byte[] content, String name) throws IOException {
    Generation read = Generation.decode(content, describe(name));
    if (!name.equals(nameOf(read.number()))) {
      throw new DamagedEntryException(
          describe(name), "The entry belongs to generation " + read.number() + ".", null);
    }
    return read;
  }

  /** {@return whether no other runtime has taken this number} */
  boolean take(Generation generation) throws IOException {
    return store.putIfAbsent(nameOf(generation.number()), ArchiveContent.of(generation.encode()));
  }

  /**
   * A chunk in the archive.
   *
   * @param generation the number of its generation
   * @param firstPosition the position of its first record
   * @param bytes its size
   */
  record Chunk(long generation, long firstPosition, long bytes) {

    String name() {
      return folderOf(generation) + hex(firstPosition) + CHUNK_SUFFIX;
    }
  }

  /** {@return the chunks of a generation, in order} */
  List<Chunk> chunks(long generation) throws IOException {
    return chunksBelow(folderOf(generation)).getOrDefault(generation, List.of());
  }

  /** {@return the chunks of each generation, in order} */
  SortedMap<Long, List<Chunk>> chunks() throws IOException {
    return chunksBelow(CHUNKS);
  }

  private SortedMap<Long, List<Chunk>> chunksBelow(String prefix) throws IOException {
    SortedMap<Long, List<Chunk>> chunks = new TreeMap<>();
    for (ArchiveEntry entry : all(prefix)) {
      Matcher name = CHUNK.matcher(entry.name());
      if (name.matches()) {
        long generation = Long.parseUnsignedLong(name.group(1), 16);
        long position = Long.parseUnsignedLong(name.group(2), 16);
        chunks
            .computeIfAbsent(generation, _ -> new ArrayList<>())
            .add(new Chunk(generation, position, entry.bytes()));
      }
    }
    return chunks;
  }

  /** {@return whether a generation has chunks} */
  boolean hasChunks(long generation) throws IOException {
    return !store.list(folderOf(generation), "", 1).isEmpty();
  }

  /** {@return whether the chunk was added; false if there is one that begins with its record} */
  boolean add(long generation, JournalChunk chunk) throws IOException {
    Chunk place = new Chunk(generation, chunk.firstPosition(), chunk.bytes().length);
    return store.putIfAbsent(place.name(), ArchiveContent.of(chunk.bytes()));
  }

  /**
   * Reads and checks a chunk.
   *
   * @param journalId the journal to which it belongs
   * @throws DamagedEntryException if it is damaged, or another one
   * @throws IOException if it is missing, or the store fails
   */
  JournalChunk read(Chunk chunk, long journalId) throws IOException {
    byte[] content = bytes(chunk.name());
    if (content == null) {
      throw new IOException(describe(chunk.name()) + " was deleted meanwhile");
    }
    JournalChunk read;
    try {
      read = JournalChunk.of(content, Path.of(chunk.name()));
    } catch (JournalCorruptException e) {
      throw new DamagedEntryException(
          describe(chunk.name()), "The chunk is damaged: " + e.getMessage(), e);
    }
    if (read.journalId() != journalId || read.firstPosition() != chunk.firstPosition()) {
      throw new DamagedEntryException(
          describe(chunk.name()), "The chunk is another one than its name says.", null);
    }
    return read;
  }

  /** {@return whether an entry was added; false if there is one of this name} */
  boolean put(String name, ArchiveContent content) throws IOException {
    return store.putIfAbsent(name, content);
  }

  void delete(String name) throws IOException {
    store.delete(name);
  }

  /** Deletes what runtimes that were killed have left of entries in one of the folders. */
  void deleteUnfinished(String folder) throws IOException {
    store.deleteUnfinished(folder);
  }

  /** {@return the bytes of an entry; null if there is none of this name} */
  byte @Nullable [] bytes(String name) throws IOException {
    return bytes(store, name);
  }

  /** {@return the bytes of an entry of a store; null if there is none of this name} */
  static byte @Nullable [] bytes(ArchiveStore store, String name) throws IOException {
    try (InputStream content = store.open(name)) {
      return content == null ? null : content.readAllBytes();
    }
  }

  /** {@return all entries whose names begin with a prefix, in order} */
  List<ArchiveEntry> all(String prefix) throws IOException {
    List<ArchiveEntry> all = new ArrayList<>();
    List<ArchiveEntry> page;
    do {
      page = store.list(prefix, all.isEmpty() ? "" : all.getLast().name(), PAGE);
      all.addAll(page);
    } while (page.size() == PAGE);
    return all;
  }

  /** {@return an entry, for messages} */
  String describe(String name) {
    return name + " in " + store;
  }

  /** {@return what callers get if the archive cannot be read} */
  static ArchiveException unreadable(IOException e) {
    return new ArchiveException("The archive cannot be read: " + e.getMessage(), e);
  }

  static String nameOf(long generation) {
    return GENERATIONS + hex(generation);
  }

  static String folderOf(long generation) {
    return CHUNKS + hex(generation) + "/";
  }

  static String hex(long number) {
    return String.format("%016x", number);
  }

  @Override
  public String toString() {
    return store.toString();
  }
}
