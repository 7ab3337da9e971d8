package dev.holdfast.backend.sqlite.sql;

import dev.holdfast.SqlException;
import dev.holdfast.backend.sqlite.Objects;
import dev.holdfast.backend.sqlite.SqliteHost;
import dev.holdfast.backend.sqlite.binding.CanaryLibrary;
import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.turn.SqliteTurn;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** An object that is attacked through the API of its code: a turn's {@code exec}. */
final class GuardedVictim implements AttackedProcess.Victim {

  private static final int LOOK_BACK = 16;

  private final SqliteHost host;
  private final ObjectStore store;
  private final ObjectStore other;
  private final Effects effects;
  private final List<String> pairs;
  private final List<String> otherContents;
  private int attacks;

  GuardedVictim(Path directory, CanaryLibrary library) throws SqliteException {
    host = new SqliteHost(directory, 4, library, Durability.ON_WAIT);
    store = host.store(1);
    other = host.store(2);
    Effects.fill(store);
    Effects.fill(other);
    pairs = Objects.pairs(store);
    otherContents = Objects.contents(other);
    effects = new Effects(library, directory);
    StoreTurn turn = store.beginTurn();
    effects.begin(connection(turn));
    turn.discard();
  }

  private static SqliteConnection connection(StoreTurn turn) {
    return ((SqliteTurn) turn).database().connection().connection();
  }

  @Override
  public List<String> attack(Attack attack) throws IOException, SqliteException {
    List<String> found = new ArrayList<>();
    StoreTurn turn = store.beginTurn();
    try {
      boolean isRefused = false;
      for (String step : attack.steps()) {
        isRefused |= isRefused(turn, step, found);
      }
      if (attack.isWritten() && !isRefused) {
        found.add("ran");
      }
      if (!Objects.pairs(turn).equals(pairs)) {
        found.add("changed the hidden pairs within its turn");
      }
      found.addAll(effects.of(connection(turn)));
    } catch (StorageFailedException e) {
      found.add("lost the turn: " + e.getMessage());
    } finally {
      turn.discard();
    }
    if (!Objects.pairs(store).equals(pairs)) {
      found.add("changed the hidden pairs");
    }
    if (!found.isEmpty() || ++attacks % LOOK_BACK == 0) {
      StoreTurn next = store.beginTurn();
      effects
          .of(connection(next))
          .forEach(each -> found.add("after one of the last " + LOOK_BACK + " " + each));
      next.discard();
    }
    if (!Objects.pairs(other).equals(Objects.pairs(store))) {
      found.add("changed another object");
    }
    found.addAll(effects.outside());
    return found;
  }

  private boolean isRefused(StoreTurn turn, String step, List<String> found) {
    String sql = Attack.sql(step);
    try {
      for (String row : Objects.rows(turn, sql, Attack.bindings(step))) {
        found.addAll(effects.shownBy(row));
      }
      return false;
    } catch (SqlException e) {
      return true;
    }
  }

  @Override
  public void close() throws IOException {
    if (!Objects.contents(other).equals(otherContents)) {
      throw new IOException("another object has changed");
    }
    host.close();
  }
}
