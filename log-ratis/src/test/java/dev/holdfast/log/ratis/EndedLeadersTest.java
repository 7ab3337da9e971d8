package dev.holdfast.log.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.ratis.protocol.RaftPeerId;
import org.junit.jupiter.api.Test;

/** When members stand for election because the process of their leader has ended. */
final class EndedLeadersTest {

  private static final RaftPeerId LEADER = RaftPeerId.valueOf("a");
  private static final long LOOK_MILLIS = 100;
  private static final long TURN_MILLIS = EndedLeaders.TURN_LOOKS * LOOK_MILLIS;

  private record Task(long atMillis, Runnable run) {}

  private final List<Task> tasks = new ArrayList<>();
  private long nowMillis;

  private final List<Member> members = new ArrayList<>();
  private final List<String> done = new ArrayList<>();
  private final List<Boolean> answers = new ArrayList<>();
  private boolean isRefused = true;

  private final EndedLeaders leaders =
      new EndedLeaders(
          2000,
          () -> members,
          address -> {
            answers.add(isRefused);
            return isRefused;
          },
          (millis, task) -> tasks.add(new Task(nowMillis + millis, task)));

  /** A member of a shard. */
  private final class Member implements EndedLeaders.Follower {
    private final String name;
    private final EndedLeaders.Turn turn;
    private boolean lacksLeader = true;

    private Member(String name, EndedLeaders.Turn turn) {
      this.name = name;
      this.turn = turn;
      members.add(this);
    }

    @Override
    public boolean lacksLeader(RaftPeerId ended) {
      return lacksLeader && ended.equals(LEADER);
    }

    @Override
    public String addressOf(RaftPeerId other) {
      return "host:1";
    }

    @Override
    public EndedLeaders.Turn turn(RaftPeerId ended) {
      return turn;
    }

    @Override
    public void forget(RaftPeerId ended, long silentMillis) {
      done.add(nowMillis + " " + name + " forgets " + silentMillis);
    }

    @Override
    public void stand(RaftPeerId ended, long silentMillis) {
      done.add(nowMillis + " " + name + " stands " + silentMillis);
    }
  }

  private Member member(String name, int place) {
    return new Member(name, new EndedLeaders.Turn(place, 2));
  }

  private void runUntil(long millis) {
    while (true) {
      Task next =
          tasks.stream()
              .filter(each -> each.atMillis() <= millis)
              .reduce((one, other) -> other.atMillis() < one.atMillis() ? other : one)
              .orElse(null);
      if (next == null) {
        nowMillis = millis;
        return;
      }
      tasks.remove(next);
      nowMillis = next.atMillis();
      next.run().run();
    }
  }

  private List<String> stands() {
    return done.stream().filter(each -> each.contains("stands")).toList();
  }

  @Test
  void membersForgetTheLeaderFirstAndStandOneAfterTheOther() {
    member("first", 0);
    member("second", 1);

    leaders.connectionEnded(LEADER);
    runUntil(0);
    assertThat(done).containsExactly("0 first forgets 0", "0 second forgets 0");

    runUntil(1400);
    assertThat(stands())
        .containsExactly(
            "100 first stands 300",
            "400 second stands 300",
            "700 first stands 300",
            "1000 second stands 300",
            "1300 first stands 300");
  }

  @Test
  void memberThatHasAnotherLeaderIsLeftAlone() {
    Member first = member("first", 0);
    Member second = member("second", 1);
    leaders.connectionEnded(LEADER);
    runUntil(LOOK_MILLIS);
    first.lacksLeader = false;
    second.lacksLeader = false;
    done.clear();

    runUntil(10 * TURN_MILLIS);

    assertThat(done).isEmpty();
    assertThat(tasks).isEmpty();
  }

  @Test
  void nodeThatListensIsNotForgotten() {
    member("first", 0);
    isRefused = false;

    leaders.connectionEnded(LEADER);
    runUntil(100 * LOOK_MILLIS);

    assertThat(done).isEmpty();
    assertThat(answers).hasSize(EndedLeaders.ANSWERS_MAX).containsOnly(false);
    assertThat(tasks).isEmpty();
  }

  /** The kernel ends the connections of a killed process first, and its address last. */
  @Test
  void addressMayBeClosedALittleLater() {
    member("first", 0);
    isRefused = false;
    leaders.connectionEnded(LEADER);
    runUntil(LOOK_MILLIS);

    isRefused = true;
    runUntil(3 * LOOK_MILLIS);

    assertThat(stands()).containsExactly("300 first stands 300");
  }

  @Test
  void nodeThatListensAgainIsForgottenNoMore() {
    member("first", 0);
    leaders.connectionEnded(LEADER);
    runUntil(LOOK_MILLIS);
    done.clear();

    isRefused = false;
    runUntil(100 * LOOK_MILLIS);

    assertThat(done).isEmpty();
    assertThat(tasks).isEmpty();
  }

  /** Each of its shards has a connection that ends. */
  @Test
  void nodeIsLookedAtOnceForAllShards() {
    member("first", 0);

    leaders.connectionEnded(LEADER);
    leaders.connectionEnded(LEADER);
    runUntil(0);

    assertThat(answers).hasSize(1);
  }

  @Test
  void timeoutsDecideAfterAWhileAndTheNextEndIsLookedAtAgain() {
    member("first", 0);
    leaders.connectionEnded(LEADER);
    runUntil(1000 * LOOK_MILLIS);
    assertThat(answers).hasSize(EndedLeaders.LOOKS_MAX);
    assertThat(tasks).isEmpty();

    leaders.connectionEnded(LEADER);
    runUntil(1000 * LOOK_MILLIS);

    assertThat(answers).hasSize(EndedLeaders.LOOKS_MAX + 1);
  }

  @Test
  void nodeThatLeadsNothingHereIsNotLookedAt() {
    leaders.connectionEnded(LEADER);
    leaders.connectionEnded(RaftPeerId.valueOf("b"));
    runUntil(0);

    assertThat(answers).isEmpty();
    assertThat(tasks).isEmpty();
  }
}
