package dev.holdfast.archiver;

import dev.holdfast.archive.ArchiveContent;
import dev.holdfast.archive.ArchiveEntry;
import dev.holdfast.archiver.Base.Pack;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** The entries of base images. Thread-safe if the store is. */
final class BaseFiles {

  static final String BASES = "bases/";
  private static final Pattern ENTRY =
      Pattern.compile("bases/([0-9a-f]{16})/([0-9a-f]{16})(?:\\.base|/[0-9a-f]{16}\\.pack)");

  private final ArchiveFiles files;

  BaseFiles(ArchiveFiles files) {
    this.files = files;
  }

  /**
   * Where an image is.
   *
   * @param generation the number of its generation
   * @param position its position
   */
  record Place(long generation, long position) implements Comparable<Place> {

    private static final Comparator<Place> ORDER =
        Comparator.comparingLong(Place::generation).thenComparingLong(Place::position);

    static Place of(Base base) {
      return new Place(base.generation(), base.position());
    }

    /** {@return the name of the entry that makes the image complete} */
    String name() {
      return BASES + ArchiveFiles.hex(generation) + "/" + ArchiveFiles.hex(position) + ".base";
    }

    String folder() {
      return BASES + ArchiveFiles.hex(generation) + "/" + ArchiveFiles.hex(position) + "/";
    }

    String pack(int number) {
      return folder() + ArchiveFiles.hex(number) + ".pack";
    }

    @Override
    public int compareTo(Place other) {
      return ORDER.compare(this, other);
    }
  }

  /** {@return the names of the entries of each image, complete or not} */
  SortedMap<Place, List<String>> entries() throws IOException {
    return entriesBelow(BASES);
  }

  /** {@return the images of a generation that have their entry, oldest first} */
  List<Place> complete(long generation) throws IOException {
    return complete(entriesBelow(BASES + ArchiveFiles.hex(generation) + "/"));
  }

  /** {@return those of the images that have their entry, in order} */
  static List<Place> complete(SortedMap<Place, List<String>> entries) {
    return entries.entrySet().stream()
        .filter(each -> each.getValue().contains(each.getKey().name()))
        .map(Map.Entry::getKey)
        .toList();
  }

  private SortedMap<Place, List<String>> entriesBelow(String prefix) throws IOException {
    SortedMap<Place, List<String>> entries = new TreeMap<>();
    for (ArchiveEntry entry : files.all(prefix)) {
      Matcher name = ENTRY.matcher(entry.name());
      if (name.matches()) {
        Place place =
            new Place(
                Long.parseUnsignedLong(name.group(1), 16),
                Long.parseUnsignedLong(name.group(2), 16));
        entries.computeIfAbsent(place, _ -> new ArrayList<>()).add(entry.name());
      }
    }
    return entries;
  }

  /** {@return an image; null if it has no entry} */
  @Nullable Base read(Place place) throws IOException {
    byte[] content = files.bytes(place.name());
    if (content == null) {
      return null;
    }
    String name = files.describe(place.name());
    Base base = Base.decode(content, name);
    if (!Place.of(base).equals(place)) {
      throw new DamagedEntryException(name, "The entry belongs to another base image.", null);
    }
    return base;
  }

  /** {@return whether an image has its entry} */
  boolean exists(Place place) throws IOException {
    return files.bytes(place.name()) != null;
  }

  /** {@return whether the entry was added; false if there is one} */
  boolean add(Base base) throws IOException {
    return files.put(Place.of(base).name(), ArchiveContent.of(base.encode()));
  }

  /**
   * Adds a pack, unless it is there, of an earlier call without an answer.
   *
   * @return whether it is there now; false if another one has its name
   */
  boolean add(Place place, int number, byte[] pack) throws IOException {
    String name = place.pack(number);
    return files.put(name, ArchiveContent.of(pack)) || Arrays.equals(pack, files.bytes(name));
  }

  /** {@return the checked bytes of a pack} */
  byte[] read(Place place, int number, Pack pack) throws IOException {
    String name = place.pack(number);
    byte[] content = files.bytes(name);
    if (content == null) {
      throw new DamagedEntryException(files.describe(name), "The pack is missing.", null);
    }
    CRC32C crc = new CRC32C();
    crc.update(content);
    if (content.length != pack.bytes() || (int) crc.getValue() != pack.checksum()) {
      throw new DamagedEntryException(
          files.describe(name), "The pack is not the one that the base image names.", null);
    }
    return content;
  }

  @Override
  public String toString() {
    return files.toString();
  }
}
