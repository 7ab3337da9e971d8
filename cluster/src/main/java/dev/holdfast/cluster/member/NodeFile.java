package dev.holdfast.cluster.member;

import static dev.holdfast.cluster.call.EndpointOptions.RANDOM_BITS;

import dev.holdfast.cluster.placement.PlacementRules;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.NodeDirectory;
import dev.holdfast.journal.replica.LogEntry;
import dev.holdfast.journal.shard.ShardDirectories;
import dev.holdfast.journal.shard.ShardMap;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.NodeId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SequencedSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The file {@code node}, which says whose the directory is, and with which directories the other
 * nodes have come: lines of {@code name=value}. Replaced durably with each change. Thread-safe.
 */
public final class NodeFile implements AutoCloseable {

  /** Its name in the directory of the node. */
  public static final String NAME = NodeDirectory.FILE_NAME;

  private static final int BYTES_MAX = 1 << 20; // 128 shards, 5 members with the longest names

  static final String INCARNATION = "incarnation";
  private static final String OPENING = "opening";
  private static final String JOINED = "joined";
  static final String LINEAGE = "lineage";
  private static final String RECOVERING = "recovering";
  private static final String MEMBER = "member.";
  private static final String FIRST = "first";
  private static final String ADDED = "added";
  static final String ADOPTED = "adopted";
  static final String ADOPTING = "adopting";
  private static final String COPY = "copy";
  private static final String COPY_WITHOUT_LOGS = "shards";
  private static final String REMOVED = "removed.";
  private static final String SHARD = "shard.";

  /** How the line of a shard begins whose log has said nothing yet. */
  private static final String FIRST_SAID = Configuration.NO_ENTRY + " ";

  private static final String VERSION = "version.";
  private static final String REPLICAS = "replicas";
  private static final String RULES = "rules";

  private final Disk disk;
  private final Path file;
  private final Map<String, String> values; // guarded by this
  private boolean isClosed; // guarded by this
  private volatile boolean hasJoined;
  private volatile boolean isAdded;

  private NodeFile(Disk disk, Path file, Map<String, String> values) {
    this.disk = disk;
    this.file = file;
    this.values = new TreeMap<>(values);
    know();
  }

  /** What health and calls ask must not wait for the disk. */
  private void know() {
    hasJoined = values.containsKey(JOINED);
    isAdded = values.containsKey(ADDED);
  }

  /**
   * Reads the file, or begins it, and counts this opening.
   *
   * @param disk the disk
   * @param directory of the node
   * @param cluster the name of the cluster
   * @param self this node
   * @param shards the number of shards
   * @param isAdded whether the members have their logs without this node; like the cluster and the
   *     number of shards, without effect once the node has taken part
   * @param random makes what must not be repeated
   * @return the file
   * @throws DataDirectoryException if the directory belongs to another node, or cannot be used
   */
  public static NodeFile open(
      Disk disk,
      Path directory,
      String cluster,
      NodeId self,
      int shards,
      boolean isAdded,
      RandomGenerator random) {
    Path file = directory.resolve(NAME);
    try {
      Map<String, String> expected =
          Map.of("cluster", cluster, "node", self.name(), "shards", String.valueOf(shards));
      Map<String, String> found;
      if (disk.exists(file)) {
        found = read(disk, file);
        if (!isBound(disk, directory, found)) {
          // An earlier opening was refused, perhaps for one of these.
          found.put("cluster", cluster);
          if (isAdded || !found.containsKey(FIRST)) { // else others may have begun with it
            found.put("shards", String.valueOf(shards));
          }
          found.remove(ADDED);
          found.remove(REPLICAS);
          if (isAdded) {
            found.put(ADDED, "true");
          }
        }
        requireSame(file, expected, found);
        requireNotRecovering(file, found);
        requireNoCopy(file, found);
      } else {
        found = new HashMap<>(expected);
        found.put(INCARNATION, Long.toHexString(random.nextLong()));
        if (isAdded) {
          found.put(ADDED, "true");
        }
      }
      NodeFile node = new NodeFile(disk, file, found);
      node.incarnation();
      for (int shard = 0; shard < shards; shard++) {
        node.configurationOf(shard);
      }
      node.putDurably(OPENING, next(node.number(OPENING, 0), random));
      return node;
    } catch (IOException | IllegalArgumentException | IndexOutOfBoundsException e) {
      throw unusable(file, e);
    }
  }

  /** {@return whether the node has taken part in a cluster, or was made of another directory} */
  private static boolean isBound(Disk disk, Path directory, Map<String, String> found) {
    return found.containsKey(JOINED)
        || found.containsKey(LINEAGE)
        || hasLogs(disk, directory.resolve(NAME));
  }

  private static boolean hasLogs(Disk disk, Path file) {
    return IntStream.range(0, ShardMap.SHARDS_MAX)
        .anyMatch(shard -> disk.exists(logOf(file, shard)));
  }

  private static Path logOf(Path file, int shard) {
    return file.resolveSibling(ShardDirectories.shard(Path.of(""), shard).resolve("log"));
  }

  /** Begins a file durably. */
  static void write(Disk disk, Path file, Map<String, String> values) {
    try {
      new NodeFile(disk, file, Map.of()).replace(values);
    } catch (IOException e) {
      throw unusable(file, e);
    }
  }

  /**
   * Writes the file of a backup of the cluster, whose copies of shards belong to no log.
   *
   * @param disk the disk
   * @param backup the directory of the backup
   * @param random makes what must not be repeated
   * @throws DataDirectoryException if the file cannot be written
   */
  public void writeBackup(Disk disk, Path backup, RandomGenerator random) {
    // Without the lock while it is written: the disk of a backup may hang.
    Map<String, String> copied = withoutOthers();
    copied.remove(OPENING);
    copied.put(INCARNATION, Long.toHexString(random.nextLong()));
    copied.put(COPY, COPY_WITHOUT_LOGS);
    write(disk, backup.resolve(NAME), copied);
  }

  /** {@return what the file says, without other nodes and the logs that it has with them} */
  private synchronized Map<String, String> withoutOthers() {
    Map<String, String> left = new TreeMap<>(values);
    left.keySet()
        .removeIf(
            name -> name.startsWith(MEMBER) || name.startsWith(REMOVED) || name.startsWith(SHARD));
    left.keySet().removeAll(Set.of(FIRST, ADDED)); // it is the first member
    left.remove(RULES); // also that a node is being removed
    left.remove(JOINED); // the new logs are not there yet
    return left;
  }

  /**
   * {@return the last record that the directory had when it was that of a single machine; empty if
   * it never was}
   */
  public synchronized OptionalLong adopted() {
    String position = values.get(ADOPTED);
    return position == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(position));
  }

  /** {@return whether files of the single machine may be in their old places still} */
  synchronized boolean isAdopting() {
    return values.containsKey(ADOPTING);
  }

  /** Records that all files are in their places. */
  synchronized void endAdoption() throws IOException {
    Map<String, String> changed = new TreeMap<>(values);
    changed.remove(ADOPTING);
    replace(changed);
  }

  /**
   * Reads the file of a node that is not opened, and changes nothing.
   *
   * @param disk the disk
   * @param directory of the node
   * @return the file
   * @throws DataDirectoryException if the directory is no node's, or the file cannot be read
   */
  public static NodeFile existing(Disk disk, Path directory) {
    Path file = directory.resolve(NAME);
    try {
      if (!disk.exists(file)) {
        throw new DataDirectoryException(
            directory,
            "The directory is not one of a node of a cluster: it has no file " + NAME,
            null);
      }
      NodeFile node = new NodeFile(disk, file, read(disk, file));
      node.incarnation();
      node.lineage();
      node.shards();
      node.adopted();
      return node;
    } catch (IOException | NumberFormatException e) {
      throw unusable(file, e);
    }
  }

  private static void requireNotRecovering(Path file, Map<String, String> found) {
    if (found.containsKey(RECOVERING)) {
      throw new DataDirectoryException(
          file,
          "The directory is being made a cluster of one, and that was interrupted. Repeat"
              + " ./holdfast cluster recover",
          null);
    }
  }

  private static void requireNoCopy(Path file, Map<String, String> found) {
    if (found.containsKey(COPY)) {
      throw new DataDirectoryException(
          file,
          "The directory is a backup, which lacks what the node has voted for and"
              + " acknowledged since. After all nodes of the cluster are lost, make it a cluster"
              + " of one with ./holdfast cluster recover",
          null);
    }
  }

  private static void requireSame(
      Path file, Map<String, String> expected, Map<String, String> found) {
    expected.forEach(
        (name, value) -> {
          if (!value.equals(found.get(name))) {
            throw new DataDirectoryException(
                file,
                "The directory is of "
                    + name
                    + " "
                    + found.get(name)
                    + ", and is opened for "
                    + value
                    + ". Open it as what it is, or give this node another directory",
                null);
          }
        });
  }

  private static DataDirectoryException unusable(Path file, Exception cause) {
    return new DataDirectoryException(
        file, "The file that says whose the directory is cannot be read or written", cause);
  }

  /** {@return the incarnation of the directory} */
  public synchronized long incarnation() {
    return Long.parseUnsignedLong(values.getOrDefault(INCARNATION, ""), 16);
  }

  /** {@return this opening: its number in the upper 24 bits, and a random number} */
  public synchronized long opening() {
    return number(OPENING, 0);
  }

  /**
   * {@return which cluster of its name this is: one that was recovered from a single copy has
   * another lineage, with its number in the upper 24 bits and a random number; one that was made of
   * a single machine has the number 0; 0 for any other first one}
   */
  public synchronized long lineage() {
    return number(LINEAGE, 0);
  }

  /** {@return the name of the cluster in its logs, which is another one for each lineage} */
  public String logName() {
    long lineage = lineage();
    String cluster = text("cluster");
    return lineage == 0 ? cluster : cluster + "/" + Long.toHexString(lineage);
  }

  /** {@return the number of shards} */
  public int shards() {
    return Integer.parseInt(text("shards"));
  }

  /** {@return the name of the cluster} */
  public String cluster() {
    return text("cluster");
  }

  /** {@return the name of the node} */
  public String node() {
    return text("node");
  }

  private synchronized String text(String name) {
    return values.getOrDefault(name, "");
  }

  /** {@return whether the old logs are not needed any more, and a new lineage has not begun} */
  public synchronized boolean isRecovering() {
    return values.containsKey(RECOVERING);
  }

  /** {@return whether the directory is a backup whose copies of shards belong to no log} */
  public synchronized boolean isCopyWithoutLogs() {
    return COPY_WITHOUT_LOGS.equals(values.get(COPY));
  }

  /** {@return what {@link #recovering} was given} */
  public String recovering() {
    return text(RECOVERING);
  }

  /**
   * Records that the copies have everything of the old logs, so that these may be deleted.
   *
   * @param note kept until the recovery has ended
   * @throws DataDirectoryException if the file cannot be written
   */
  public void recovering(String note) {
    putDurably(RECOVERING, note);
  }

  /**
   * Begins a new lineage, in which no other node is known.
   *
   * @param random makes the lineage
   * @throws DataDirectoryException if the file cannot be written
   */
  public synchronized void beginLineage(RandomGenerator random) {
    Map<String, String> changed = withoutOthers();
    changed.remove(RECOVERING);
    changed.remove(COPY); // it is the only one of the new cluster
    changed.put(LINEAGE, next(lineage(), random));
    try {
      replace(changed);
    } catch (IOException e) {
      throw unusable(file, e);
    }
  }

  /** {@return an opening or a lineage with the next number, and a random one} */
  private static String next(long before, RandomGenerator random) {
    long number = (before >>> RANDOM_BITS) + 1;
    return Long.toHexString((number << RANDOM_BITS) | random.nextLong(1L << RANDOM_BITS));
  }

  private long number(String name, long missing) {
    String found = values.get(name);
    return found == null ? missing : Long.parseUnsignedLong(found, 16);
  }

  /** {@return whether the node has its logs: one that is missing from now on was lost} */
  public boolean hasJoined() {
    return hasJoined;
  }

  /** {@return whether the node has begun to take part in logs} */
  public boolean hasBegun() {
    return hasJoined || hasLogs(disk, file);
  }

  /**
   * Records that the node has its logs.
   *
   * @throws DataDirectoryException if the file cannot be written
   */
  public synchronized void joined() {
    if (!hasJoined()) {
      putDurably(JOINED, "true");
    }
  }

  /**
   * {@return the incarnation with which a node has come; empty if it has not}
   *
   * @param node the node
   */
  public synchronized OptionalLong incarnationOf(NodeId node) {
    String met = values.get(MEMBER + node);
    return met == null
        ? OptionalLong.empty()
        : OptionalLong.of(Long.parseUnsignedLong(incarnationIn(met), 16));
  }

  /**
   * Records with which directory a node has come.
   *
   * @param node the node
   * @param incarnation of its directory
   * @param opening of its directory
   * @return false if that is another one than before, or an older state of it
   * @throws DataDirectoryException if the file cannot be written
   */
  public synchronized boolean met(NodeId node, long incarnation, long opening) {
    String last = values.get(MEMBER + node);
    if (last != null) {
      int space = last.indexOf(' ');
      long lastOpening = Long.parseUnsignedLong(last.substring(space + 1), 16);
      if (Long.parseUnsignedLong(incarnationIn(last), 16) != incarnation) {
        return false;
      }
      if (opening >>> RANDOM_BITS <= lastOpening >>> RANDOM_BITS) {
        return opening == lastOpening; // else an earlier one, or a copy
      }
    }
    putDurably(MEMBER + node, Long.toHexString(incarnation) + " " + Long.toHexString(opening));
    return true;
  }

  /** {@return what other nodes have heard from this one, which may have begun with it} */
  synchronized Optional<String> agreedBeginning() {
    return Optional.ofNullable(values.get(FIRST));
  }

  /** Records what the cluster begins with, before another node hears that this one agrees. */
  synchronized void agreeBeginning(String text) {
    if (!text.equals(values.get(FIRST))) {
      putDurably(FIRST, text);
    }
  }

  /** {@return the lineage, if the file has one} */
  synchronized OptionalLong learntLineage() {
    return values.containsKey(LINEAGE) ? OptionalLong.of(number(LINEAGE, 0)) : OptionalLong.empty();
  }

  /**
   * Records the lineage of the cluster that adds this node.
   *
   * @param lineage the lineage
   * @throws DataDirectoryException if the file cannot be written
   */
  void learnLineage(long lineage) {
    putDurably(LINEAGE, Long.toHexString(lineage));
  }

  /** {@return whether the members had their logs before this node: it waits until it is added} */
  public boolean isAdded() {
    return isAdded;
  }

  /**
   * {@return which nodes keep a shard, as was recorded last}
   *
   * @param shard the shard
   */
  synchronized Optional<Configuration> configurationOf(int shard) {
    String line = values.get(SHARD + shard);
    if (line == null) {
      return Optional.empty();
    }
    int space = line.indexOf(' ');
    return Optional.of(
        ConfigurationText.of(
            Long.parseLong(line.substring(0, space)),
            List.of(line.substring(space + 1).split(",", -1))));
  }

  /**
   * Records which nodes keep shards, all at once. Each leader says again which do: if it is the
   * same nodes, its index is written with whatever is written next. A node that ends before is as
   * one that ends before it hears of that leader.
   *
   * @param configurations the nodes of each
   * @throws DataDirectoryException if the file cannot be written
   */
  synchronized void configured(Map<Integer, Configuration> configurations) {
    Map<String, String> changed = new TreeMap<>(values);
    boolean isNews = false;
    for (Map.Entry<Integer, Configuration> each : configurations.entrySet()) {
      String members = " " + String.join(",", ConfigurationText.members(each.getValue()));
      String known = changed.put(SHARD + each.getKey(), each.getValue().index() + members);
      isNews |= known == null || known.startsWith(FIRST_SAID) || !known.endsWith(members);
    }
    if (isNews) {
      replaceDurably(changed);
    } else {
      values.putAll(changed);
    }
  }

  /** {@return the version of entries that the owner of a shard has agreed on last} */
  synchronized int agreedVersion(int shard) {
    String found = values.get(VERSION + shard);
    return found == null ? LogEntry.VERSION_MIN : Integer.parseInt(found);
  }

  /** Records it; it is never lowered. */
  synchronized void agreedVersion(int shard, int version) {
    if (version > agreedVersion(shard)) {
      putDurably(VERSION + shard, String.valueOf(version));
    }
  }

  /**
   * {@return how many copies of each shard the cluster has; empty if this node does not know it}
   */
  synchronized OptionalInt replicas() {
    String found = values.get(REPLICAS);
    return found == null ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(found));
  }

  /**
   * Records how many copies of each shard the cluster has.
   *
   * @param number the number
   * @throws DataDirectoryException if the file cannot be written
   */
  public synchronized void replicas(int number) {
    if (replicas().orElse(0) != number) {
      putDurably(REPLICAS, String.valueOf(number));
    }
  }

  /** {@return what operators have said about placement} */
  synchronized PlacementRules rules() {
    String found = values.get(RULES);
    return found == null ? PlacementRules.FIRST : PlacementRules.parse(found);
  }

  /** Records it, if it is later. */
  synchronized void rules(PlacementRules said) {
    if (said.compareTo(rules()) > 0) {
      putDurably(RULES, said.toString());
    }
  }

  /** Records that a node was removed, which may have come back with another directory since. */
  synchronized void removed(NodeId node, OptionalLong incarnation) {
    Map<String, String> changed = new TreeMap<>(values);
    String met = changed.get(MEMBER + node);
    String known = met == null ? "" : incarnationIn(met);
    String gone = incarnation.isPresent() ? Long.toHexString(incarnation.getAsLong()) : known;
    if (known.equals(gone)) {
      changed.remove(MEMBER + node);
    }
    SequencedSet<String> all = new LinkedHashSet<>(removedOf(node));
    all.add(gone);
    all.remove("");
    changed.put(REMOVED + node, String.join(" ", all));
    replaceDurably(changed);
  }

  /** {@return the incarnations of directories of a node that was removed, in hexadecimal} */
  private synchronized List<String> removedOf(NodeId node) {
    String found = values.getOrDefault(REMOVED + node, "");
    return found.isEmpty() ? List.of() : List.of(found.split(" ", -1));
  }

  /** {@return the incarnations of the directories with which nodes have come, by their names} */
  synchronized Map<NodeId, Long> directories() {
    return values.keySet().stream()
        .filter(name -> name.startsWith(MEMBER))
        .map(name -> new NodeId(name.substring(MEMBER.length())))
        .collect(Collectors.toMap(node -> node, node -> incarnationOf(node).orElseThrow()));
  }

  /** {@return the incarnations of nodes that were removed, by their names} */
  synchronized Map<NodeId, Set<Long>> removedDirectories() {
    Map<NodeId, Set<Long>> removed = new HashMap<>();
    for (String name : values.keySet()) {
      if (name.startsWith(REMOVED)) {
        NodeId node = new NodeId(name.substring(REMOVED.length()));
        Set<Long> incarnations = new TreeSet<>();
        removedOf(node).forEach(each -> incarnations.add(Long.parseUnsignedLong(each, 16)));
        if (!incarnations.isEmpty()) {
          removed.put(node, incarnations);
        }
      }
    }
    return removed;
  }

  /** {@return whether the node was a member with this directory, and is none any more} */
  synchronized boolean isRemoved(NodeId node, long incarnation) {
    return removedOf(node).contains(Long.toHexString(incarnation));
  }

  /** {@return whether a node of this name was a member, and is none any more} */
  synchronized boolean wasRemoved(NodeId node) {
    return values.containsKey(REMOVED + node);
  }

  /**
   * {@return whether the node keeps a shard, as far as it has heard}
   *
   * @param shard the shard
   */
  public synchronized boolean isKept(int shard) {
    return configurationOf(shard)
        .map(known -> known.members().containsKey(new NodeId(node())))
        .orElseGet(() -> !isAdded() && disk.exists(logOf(file, shard)));
  }

  /** {@return what stands before the opening in the line of a member} */
  private static String incarnationIn(String met) {
    return met.substring(0, met.indexOf(' '));
  }

  private synchronized void putDurably(String name, String value) {
    Map<String, String> changed = new TreeMap<>(values);
    changed.put(name, value);
    replaceDurably(changed);
  }

  private void replaceDurably(Map<String, String> changed) {
    try {
      replace(changed);
    } catch (IOException e) {
      throw unusable(file, e);
    }
  }

  private synchronized void replace(Map<String, String> changed) throws IOException {
    if (isClosed) {
      throw new IOException("the node was closed");
    }
    StringBuilder text = new StringBuilder();
    changed.forEach((key, each) -> text.append(key).append('=').append(each).append('\n'));
    disk.replace(file, text.toString().getBytes(StandardCharsets.UTF_8));
    values.clear(); // not before it is durable
    values.putAll(changed);
    know();
  }

  /**
   * Lets nothing be written any more, and waits for what is being written. A thread that was late
   * would replace the file of the next opening by that of this one: the other nodes would refuse
   * the directory, as an older state of it.
   */
  @Override
  public synchronized void close() {
    isClosed = true;
  }

  private static Map<String, String> read(Disk disk, Path file) throws IOException {
    byte[] bytes = new byte[BYTES_MAX];
    int length;
    try (DiskFile open = disk.open(file, Mode.READ)) {
      length = open.read(bytes, 0, (int) Math.min(BYTES_MAX, open.size()), 0);
    }
    Map<String, String> values = new HashMap<>();
    for (String line : new String(bytes, 0, length, StandardCharsets.UTF_8).split("\n", -1)) {
      int equals = line.indexOf('=');
      if (equals > 0) {
        values.put(line.substring(0, equals), line.substring(equals + 1));
      }
    }
    return values;
  }
}
