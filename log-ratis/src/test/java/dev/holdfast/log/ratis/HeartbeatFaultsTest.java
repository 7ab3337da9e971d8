package dev.holdfast.log.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.faults.planted.PlantedFault;
import dev.holdfast.faults.planted.PlantedRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Plants faults in heartbeats and early elections, and runs their tests in a separate JVM. */
final class HeartbeatFaultsTest {

  private static final Path SOURCES = Path.of("src/main/java/dev/holdfast/log/ratis");

  private static final List<String> TESTS =
      List.of(
          "dev.holdfast.log.ratis.threads.LatchedSignalTest",
          "dev.holdfast.log.ratis.SharedHeartbeatsTest",
          "dev.holdfast.log.ratis.IdleShardsTest",
          "dev.holdfast.log.ratis.EndedLeadersTest",
          "dev.holdfast.log.ratis.EndedLeaderElectionTest");

  private static final List<PlantedFault> ALL =
      List.of(
          of(
              "a leader of another term is heard",
              "RatisDivision.java",
              "            && division.getInfo().getCurrentTerm() == term\n",
              ""),
          of(
              "any node is heard as the leader",
              "RatisDivision.java",
              "            && leader.equals(division.getInfo().getLeaderId())\n",
              ""),
          of(
              "a leader that has other entries is heard",
              "RatisDivision.java",
              "            && committedIndex() == last;\n",
              ";\n"),
          of(
              "a shard that has not heard its leader counts as one that has",
              "SharedHeartbeats.java",
              "return member != null && member.hears(leader, term, last);",
              "return member == null || member.hears(leader, term, last);"),
          of(
              "a follower forgets at once when it has heard its leader",
              "RatisDivision.java",
              "      RatisInternals.set(follower, \"lastRpcTime\", Timestamp.currentTime());\n",
              ""),
          of(
              "a member whose leader has ended is elected without votes before votes",
              "MemberElection.java",
              "\"changeToCandidate\", false",
              "\"changeToCandidate\", true"),
          of(
              "a member stands though it has another leader",
              "MemberElection.java",
              "        && ended.equals(info.getLeaderId())\n",
              ""),
          of(
              "a node that listens counts as one that has ended",
              "EndedLeaders.java",
              "    if (isRefused) {\n",
              "    if (true) {\n"),
          of(
              "all members stand together",
              "EndedLeaders.java",
              " == TURN_LOOKS * turn.place()",
              " == 0"),
          of(
              "a thread that feeds a member rests though that does not answer",
              "RatisDivision.java",
              "      RepeatingAppender.of(leader).forEach(RepeatingAppender::endRest);\n",
              ""),
          of(
              "a follower rests though it does not hear its leader",
              "ElectionTimes.java",
              "      LockSupport.unpark(follower);\n",
              ""),
          of(
              "a leader rests though nobody answers",
              "RatisDivision.java",
              "      times.endLeadersRest();\n",
              ""),
          of(
              "a connection that has ended is not made again while the shard is idle",
              "RepeatingAppender.java",
              "        && RatisInternals.find(this, \"appendLogRequestObserver\") != null\n",
              ""),
          of(
              "a signal is lost if nobody waits for it",
              "threads/LatchedSignal.java",
              "      isGiven = true;\n",
              ""));

  @TempDir private Path directory;

  private static PlantedFault of(String what, String file, String original, String planted) {
    return new PlantedFault(what, SOURCES.resolve(file), original, planted);
  }

  @Test
  void everyOriginalIsInTheSourcesOnce() throws IOException {
    for (PlantedFault fault : ALL) {
      assertThat(fault.source()).as(fault.what()).isNotEmpty();
    }
  }

  @Test
  @Timeout(value = 20, unit = TimeUnit.MINUTES)
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void everyPlantedFaultMakesATestFail() throws Exception {
    assertThat(new PlantedRun(HeartbeatFaultsTest.class, directory, _ -> TESTS).survivorsOf(ALL))
        .isEmpty();
  }
}
