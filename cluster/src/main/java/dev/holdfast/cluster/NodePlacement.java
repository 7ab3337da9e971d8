package dev.holdfast.cluster;

import dev.holdfast.cluster.member.ConfigurationText;
import dev.holdfast.cluster.member.MemberBook;
import dev.holdfast.cluster.object.NodeService;
import dev.holdfast.cluster.object.ShardAnswers;
import dev.holdfast.cluster.placement.NodeUse;
import dev.holdfast.cluster.placement.PlacementRules;
import dev.holdfast.cluster.route.ShardOwnership;
import dev.holdfast.cluster.shard.KeptShard;
import dev.holdfast.cluster.shard.NodeArchive;
import dev.holdfast.cluster.shard.NodeShard;
import dev.holdfast.cluster.shard.NodeShards;
import dev.holdfast.cluster.shard.OwnedShard;
import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.NodeId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a node says of placement to others, and hears of them. Thread-safe. */
final class NodePlacement implements NodeService {

  private final MemberBook book;
  private final NodeShards shards;
  private final NodeCopies copies;
  private final NodeArchive archives;
  private final Map<String, String> labels;
  private final Supplier<Map<String, @Nullable Object>> status;

  private volatile boolean isDraining;

  NodePlacement(
      MemberBook book,
      NodeShards shards,
      NodeCopies copies,
      NodeArchive archives,
      Map<String, String> labels,
      Supplier<Map<String, @Nullable Object>> status) {
    this.book = book;
    this.shards = shards;
    this.copies = copies;
    this.archives = archives;
    this.labels = labels;
    this.status = status;
  }

  /** From now on this node takes no shard. */
  void drain() {
    isDraining = true;
  }

  @Override
  public byte[] status() {
    return ShardAnswers.write(status.get());
  }

  @Override
  public byte[] members() {
    Map<String, @Nullable Object> said = new LinkedHashMap<>();
    said.put("members", keepers(book));
    Map<Object, Object> owners = new TreeMap<>();
    for (NodeShard each : shards.all()) {
      long number = each.number();
      each.ownership()
          .ifPresent(known -> owners.put(number, List.of(known.node().name(), known.epoch())));
    }
    said.put("owners", owners);
    return ShardAnswers.write(said);
  }

  @Override
  public void keep(int shard, int replicas) {
    copies.keep(shard, replicas, isDraining);
  }

  @Override
  public void leave(int shard, long index, List<String> members) {
    copies.leave(shard, ConfigurationText.of(index, members));
  }

  @Override
  public void bringForward(int shard) {
    if (shards.get(shard) instanceof KeptShard kept) {
      kept.bringForward().join();
    }
  }

  @Override
  public byte[] placement() {
    Map<String, @Nullable Object> said = new LinkedHashMap<>();
    said.put("replicas", (long) book.replicas());
    said.put("use", (isDraining ? NodeUse.DRAINING : NodeUse.READY).name());
    said.put("labels", new TreeMap<>(labels));
    Map<String, String> directories = new TreeMap<>();
    book.directories()
        .forEach((node, each) -> directories.put(node.name(), Long.toHexString(each)));
    said.put("directories", directories);
    said.putAll(agreed()); // before what is kept: see PlacementLook.lacks
    said.put("keeps", shards.kept().stream().map(each -> (long) each.number()).toList());
    List<Object> owned = new ArrayList<>();
    for (KeptShard each : shards.kept()) {
      OwnedShard here = each.openObjects();
      if (here != null) {
        owned.add(owned(each, here));
      }
    }
    said.put("owned", owned);
    return ShardAnswers.write(said);
  }

  private static Map<String, @Nullable Object> owned(KeptShard shard, OwnedShard here) {
    Configuration newest = here.members().configuration();
    Map<String, @Nullable Object> said = new LinkedHashMap<>();
    said.put("shard", (long) shard.number());
    said.put("epoch", here.journal().epoch());
    said.put("members", text(newest));
    said.put(
        "changing",
        here.members().isChanging() || shard.isMoveUnderWay() || newest.members().isEmpty());
    said.put("behind", names(here.members().behind()));
    said.put("bytes", here.runtime().historyUsage().bytes());
    return said;
  }

  private static List<String> names(Iterable<NodeId> nodes) {
    List<String> names = new ArrayList<>();
    nodes.forEach(each -> names.add(each.name()));
    return names;
  }

  /** {@return what is agreed, as far as this node has heard} */
  Map<String, @Nullable Object> agreed() {
    return agreed(book);
  }

  static Map<String, @Nullable Object> agreed(MemberBook book) {
    Map<String, @Nullable Object> said = new LinkedHashMap<>();
    said.put("members", keepers(book));
    Map<String, String> removed = new TreeMap<>();
    book.removedDirectories()
        .forEach(
            (node, incarnations) ->
                removed.put(
                    node.name(),
                    incarnations.stream().map(Long::toHexString).collect(Collectors.joining(" "))));
    said.put("removed", removed);
    said.put("rules", book.rules().toString());
    return said;
  }

  private static Map<Object, Object> keepers(MemberBook book) {
    Map<Object, Object> members = new TreeMap<>();
    for (int shard = 0; shard < book.shards(); shard++) {
      long number = shard;
      book.configurationOf(shard).ifPresent(known -> members.put(number, text(known)));
    }
    return members;
  }

  private static List<Object> text(Configuration known) {
    List<Object> text = new ArrayList<>();
    text.add(known.index());
    text.addAll(ConfigurationText.members(known));
    return text;
  }

  /** {@return a configuration that {@link #placement} has given as text} */
  static Configuration configuration(List<?> text) {
    long index = text.getFirst() instanceof Number number ? number.longValue() : -1;
    return ConfigurationText.of(index, text.subList(1, text.size()));
  }

  /**
   * {@return which nodes keep each shard, as another node has said}
   *
   * @param said its answer
   * @param shards the number of shards
   */
  static Map<Integer, Configuration> configurations(
      Map<String, @Nullable Object> said, int shards) {
    Map<Integer, Configuration> configurations = new TreeMap<>();
    if (said.get("members") instanceof Map<?, ?> members) {
      members.forEach(
          (shard, known) -> {
            if (shard instanceof Number number
                && number.intValue() < shards
                && known instanceof List<?> text) {
              configurations.put(number.intValue(), configuration(text));
            }
          });
    }
    return configurations;
  }

  /**
   * {@return the owners of shards, as another node has said}
   *
   * @param said its answer
   * @param shards the number of shards
   */
  static Map<Integer, ShardOwnership> owners(Map<String, @Nullable Object> said, int shards) {
    Map<Integer, ShardOwnership> owners = new TreeMap<>();
    if (said.get("owners") instanceof Map<?, ?> known) {
      known.forEach(
          (shard, owner) -> {
            if (shard instanceof Number number
                && number.intValue() < shards
                && owner instanceof List<?> text
                && text.getFirst() instanceof String node
                && text.getLast() instanceof Number epoch) {
              owners.put(
                  number.intValue(), new ShardOwnership(new NodeId(node), epoch.longValue()));
            }
          });
    }
    return owners;
  }

  @Override
  public void agree(byte[] agreed) {
    Map<String, @Nullable Object> said = ShardAnswers.members(agreed);
    configurations(said, book.shards()).forEach(book::configured);
    if (said.get("removed") instanceof Map<?, ?> removed) {
      removed.forEach(
          (node, incarnations) -> removed(String.valueOf(node), String.valueOf(incarnations)));
    }
    if (said.get("rules") instanceof String rules) {
      book.rules(PlacementRules.parse(rules));
    }
  }

  private void removed(String node, String incarnations) {
    NodeId gone = new NodeId(node);
    for (String each : incarnations.split(" ", -1)) {
      long incarnation = Long.parseUnsignedLong(each, 16);
      if (!book.isRemoved(gone, incarnation)) {
        book.removed(gone, OptionalLong.of(incarnation));
      }
    }
  }

  @Override
  public void forget(String node) {
    book.removed(new NodeId(node), OptionalLong.empty());
  }

  @Override
  public boolean endAdditions(int shard, long epoch) {
    return archives.endAdditions(shard, epoch);
  }
}
