package dev.holdfast.benchmarks.cluster;

import dev.holdfast.cluster.ClusterRuntime;
import dev.holdfast.cluster.ShardStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * What a node has, and what it has done since its process began.
 *
 * @param storedBytes of all files of its directory
 * @param records of all shards that it keeps
 * @param groups of records that it has made durable as an owner
 * @param fetchedBytes what it has read of copies on other nodes, beside the log
 */
record NodeCounts(long storedBytes, long records, long groups, long fetchedBytes) {

  /** {@return the counts of this process} */
  static NodeCounts of(ClusterRuntime runtime, Path directory) throws IOException {
    return new NodeCounts(
        IdleTopic.stored(directory),
        runtime.shards().stream().mapToLong(ShardStatus::lastPosition).sum(),
        runtime.statistics().journal().groups(),
        runtime.statistics().cluster().fetchedBytes());
  }

  static NodeCounts ofWords(String line) {
    long[] counts = Arrays.stream(line.split(" ", -1)).mapToLong(Long::parseLong).toArray();
    return new NodeCounts(counts[0], counts[1], counts[2], counts[3]);
  }

  /** {@return what it has now, and what it has done after an earlier time} */
  NodeCounts since(NodeCounts earlier) {
    return new NodeCounts(
        storedBytes,
        records - earlier.records,
        groups - earlier.groups,
        fetchedBytes - earlier.fetchedBytes);
  }

  @Override
  public String toString() {
    return LongStream.of(storedBytes, records, groups, fetchedBytes)
        .mapToObj(String::valueOf)
        .collect(Collectors.joining(" "));
  }
}
