package dev.holdfast.journal.shard;

import dev.holdfast.faults.planted.PlantedFault;
import java.nio.file.Path;
import java.util.List;

/** The faults that are planted in the journal of a shard. Each must make a test fail. */
final class ShardFaults {

  private static final Path SHARD = Path.of("src/main/java/dev/holdfast/journal/shard");

  static final List<PlantedFault> ALL =
      List.of(
          of(
              "the epoch of a group is not checked",
              "ShardReplica.java",
              "            && group.epoch() == before.epoch()\n",
              ""),
          of(
              "a gap is accepted",
              "ShardReplica.java",
              "            && group.firstPosition() == before.lastPosition() + 1\n",
              ""),
          of(
              "an error of applying is swallowed",
              "ShardReplica.java",
              "    } catch (IOException e) {\n      throw stopped(\n",
              "    } catch (IOException e) {\n      if (failure() == null) {\n        return;\n"
                  + "      }\n      throw stopped(\n"),
          of(
              "what is applied is saved before its segment is synced",
              "ReplicaSaver.java",
              "      written.force(newest);\n",
              "      savedFile.write(state);\n      written.force(newest);\n"),
          of(
              "what is applied is saved without a sync",
              "../replica/ReplicaSegments.java",
              "      newest.force(); // first: if it is full by now, it is closed next\n",
              ""),
          of(
              "a full segment is closed without a sync",
              "../replica/ReplicaSegments.java",
              "        open.force();\n",
              "        if (open == null) {\n          throw new IOException();\n        }\n"),
          of(
              "a save does not sync a segment that became full after it has begun",
              "../replica/ReplicaSegments.java",
              "      forceFull();\n      disk.forceDirectory(",
              "      disk.forceDirectory("),
          of(
              "own segments are not synced when only entries without records were fetched",
              "CatchingUp.java",
              "    files.written().force(files.written().newest());\n",
              ""),
          of(
              "what this node appends does not count as its own",
              "ReplicaProgress.java",
              "    owned = owned.begin(applied.lastPosition() + 1);\n",
              ""),
          of(
              "what was fetched from another node is not applied",
              "ReplicaProgress.java",
              "    applied = state.point();\n    saved",
              "    saved"),
          of(
              "a reply that only reads needs no proof",
              "ShardCommit.java",
              "        failed = givenUp();\n      }\n      if (failed == null) {\n",
              "        failed = givenUp();\n      }\n"
                  + "      if (failed == null && epoch < 0) {\n"),
          of(
              "a caller that only reads waits for no proof",
              "ShardCommit.java",
              "        throw givenUp();\n      }\n      waiter = new DurabilityWaiter();\n",
              "        throw givenUp();\n"
                  + "      }\n"
                  + "      if (epoch > 0) {\n"
                  + "        return;\n"
                  + "      }\n"
                  + "      waiter = new DurabilityWaiter();\n"),
          of(
              "a proof counts that was proposed before the turn was taken",
              "ShardCommit.java",
              "        front.addListener(gathering.group(), lastPosition(), listener);\n",
              "        Group early = gathering.inFlight();\n"
                  + "        front.addListener(\n"
                  + "            early == null ? gathering.group() : early, lastPosition(),"
                  + " listener);\n"),
          of(
              "a caller waits for a proof that was proposed before the turn was taken",
              "ShardCommit.java",
              "      group = gathering.group();\n",
              "      Group early = gathering.inFlight();\n"
                  + "      group = early == null ? gathering.group() : early;\n"),
          of(
              "the gate opens when this node has the group",
              "ShardCommit.java",
              "    front.whenDurable(position, listener);\n",
              "    front.whenDurable(position, _ -> {});\n    listener.settled(null);\n"),
          of(
              "a caller waits until this node has the group",
              "ShardCommit.java",
              "      if (front.isDurable(position)) {\n        return;\n",
              "      if (front.isDurable(position) || epoch > 0) {\n        return;\n"),
          of(
              "a new owner does not wait for the lease of the last one",
              "Lease.java",
              "    this.isWaiting = waitNanos > 0;\n",
              "    this.isWaiting = waitNanos < 0;\n"),
          of(
              "a new owner waits for the lease of the last owner only",
              "ShardReplica.java",
              "    long leaseMillis = Math.max(before.leaseMillis(), open.leaseMillis());\n",
              "    long leaseMillis = open.leaseMillis();\n"),
          of(
              "a lease runs from the acceptance of a group",
              "ShardCommit.java",
              "        lease.extend(fromNanos);\n",
              "        lease.extend(statistics.nanos());\n"),
          of(
              "a node that is restarted has forgotten the lease of the owner",
              "../replica/SavedFile.java",
              "            bytes.getLong(LEASE_OFFSET),\n",
              "            bytes.getLong(LEASE_OFFSET) & 0,\n"),
          of(
              "a copy that is fetched does not say the lease of the owner",
              "OwnState.java",
              "        point.leaseMillis(),\n",
              "        0,\n"),
          of(
              "an owner that closes while it waits releases the shard at once",
              "ShardCommit.java",
              "      lease.awaitWaited(); // the release says that no lease runs, of this owner or"
                  + " one before\n",
              ""),
          of(
              "an owner answers by its lease after it has released the shard",
              "ShardCommit.java",
              "      failure.throwIfAny();\n      lease.end();\n",
              "      failure.throwIfAny();\n"),
          of(
              "a lease that is over is renewed, too",
              "Lease.java",
              "    if (leftNanos > 0 && leftNanos < nanos / 2 &&",
              "    if (leftNanos < nanos / 2 &&"),
          of(
              "segments are taken from a copy that has not purged them",
              "CatchUp.java",
              "    if (there.purged() < here.purges().last()) {\n",
              "    if (there.purged() < 0) {\n"),
          of(
              "a copy that lacks a purge takes the segments alone",
              "CatchUp.java",
              " || there.purged() != here.purges().done()) {\n",
              ") {\n"),
          of(
              "each node chooses the salt of what it writes again",
              "ReplicaPurge.java",
              "entry.saltOf(segment)",
              "entry.saltOf(segment) + host.node().hashCode()"),
          of(
              "segments are purged that the files of the node need",
              "ReplicaPurge.java",
              "    return !isErased\n",
              "    return isErased && next.index() < 0\n"),
          of(
              "a purge ends when the segments are without it",
              "ReplicaPurge.java",
              "mayHave(purges.done()) ? -purges.done() : purges.done();",
              "mayHave(purges.done()) ? purges.done() : purges.done();"));

  private ShardFaults() {}

  private static PlantedFault of(String what, String file, String original, String replacement) {
    return new PlantedFault(what, SHARD.resolve(file), original, replacement);
  }
}
