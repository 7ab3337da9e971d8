package dev.holdfast.ledger;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ledger.Statement.Sent;
import dev.holdfast.ledger.Statement.State;
import dev.holdfast.sql.SqlRow;
import dev.holdfast.sql.SqlStorage;
import dev.holdfast.storage.ObjectStorage;
import java.util.List;
import java.util.Optional;

/**
 * An account as a durable object: the balance is a key-value pair, the transfers are rows.
 *
 * <p>There are no locks, because an object runs one turn at a time, and no transactions, because
 * all writes of a turn become durable atomically. A transfer changes two objects, which no single
 * turn can do, so it takes three turns:
 *
 * <ol>
 *   <li>the sender debits itself and records the transfer as {@code PENDING};
 *   <li>the receiver credits itself and records the transfer;
 *   <li>the sender records it as {@code DELIVERED} and answers its caller.
 * </ol>
 *
 * <p>After a crash the journal holds a prefix of these turns, never the second without the first.
 * If only the first is present, {@link #deliverPending} repeats the second, which does nothing if
 * it finds its own record. So no crash loses money or moves it twice.
 */
final class AccountObject implements Account {

  private final ObjectStorage storage;
  private final SqlStorage sql;
  private final ObjectNamespace<Account> accounts;
  private final String number;

  AccountObject(ObjectContext context) {
    storage = context.storage();
    sql = storage.sql();
    accounts = context.namespace(Ledger.ACCOUNTS, Account.class);
    number = context.id().name().orElseThrow();
    sql.exec(
        """
        CREATE TABLE IF NOT EXISTS sent (
          id TEXT PRIMARY KEY, target TEXT NOT NULL, cents INTEGER NOT NULL, state TEXT NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS received (
          source TEXT, id TEXT, cents INTEGER NOT NULL, PRIMARY KEY (source, id)
        ) WITHOUT ROWID
        """);
  }

  @Override
  public Outcome send(Transfer transfer) {
    if (!transfer.from().equals(number)) {
      throw new IllegalArgumentException(transfer + " is not from account " + number);
    }
    State state = stateOf(transfer).orElseGet(() -> debit(transfer));
    if (state == State.PENDING) {
      deliver(transfer);
    }
    return state == State.REFUSED ? Outcome.REFUSED : Outcome.ACCEPTED;
  }

  @Override
  public void receive(Transfer transfer) {
    boolean known =
        sql.exec(
                "SELECT 1 FROM received WHERE source = ? AND id = ?",
                transfer.from(),
                transfer.id())
            .hasNext();
    if (!known) {
      sql.exec(
          "INSERT INTO received (source, id, cents) VALUES (?, ?, ?)",
          transfer.from(),
          transfer.id(),
          transfer.cents());
      storage.put("balance", Math.addExact(balance(), transfer.cents()));
    }
  }

  @Override
  public int deliverPending() {
    List<Transfer> pending =
        sql.exec("SELECT id, target, cents, state FROM sent WHERE state = 'PENDING'").stream()
            .map(row -> sent(row).transfer())
            .toList();
    pending.forEach(this::deliver);
    return pending.size();
  }

  @Override
  public Statement statement() {
    return new Statement(
        balance(),
        sql.exec("SELECT id, target, cents, state FROM sent").stream().map(this::sent).toList(),
        sql.exec("SELECT source, id, cents FROM received").stream().map(this::received).toList());
  }

  /** The first turn. Its writes are one batch: a debit without its record is impossible. */
  private State debit(Transfer transfer) {
    long balance = balance();
    State state = transfer.cents() <= balance ? State.PENDING : State.REFUSED;
    if (state == State.PENDING) {
      storage.put("balance", balance - transfer.cents());
    }
    sql.exec(
        "INSERT INTO sent (id, target, cents, state) VALUES (?, ?, ?, ?)",
        transfer.id(),
        transfer.to(),
        transfer.cents(),
        state);
    return state;
  }

  /**
   * The second and the third turn. They are harmless to repeat, even while another call is between
   * them.
   */
  private void deliver(Transfer transfer) {
    // A call to another object ends this turn: other events of this account run until it answers.
    accounts.getByName(transfer.to()).receive(transfer);
    sql.exec("UPDATE sent SET state = ? WHERE id = ?", State.DELIVERED, transfer.id());
  }

  private Optional<State> stateOf(Transfer transfer) {
    Optional<Sent> known =
        sql.exec("SELECT id, target, cents, state FROM sent WHERE id = ?", transfer.id()).stream()
            .findFirst()
            .map(this::sent);
    if (known.isPresent() && !known.get().transfer().equals(transfer)) {
      throw new IllegalArgumentException(
          "id " + transfer.id() + " belongs to another transfer, " + known.get().transfer());
    }
    return known.map(Sent::state);
  }

  private long balance() {
    return storage.get("balance", Long.class).orElse(OPENING_CENTS);
  }

  private Sent sent(SqlRow row) {
    return new Sent(
        new Transfer(text(row, "id"), number, text(row, "target"), row.getLong("cents")),
        State.valueOf(text(row, "state")));
  }

  private Transfer received(SqlRow row) {
    return new Transfer(text(row, "id"), text(row, "source"), number, row.getLong("cents"));
  }

  private static String text(SqlRow row, String column) {
    return Optional.ofNullable(row.getString(column)).orElseThrow();
  }
}
