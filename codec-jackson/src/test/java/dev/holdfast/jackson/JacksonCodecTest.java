package dev.holdfast.jackson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.codec.TypeRef;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.errors.UncopyableValueException;
import dev.holdfast.storage.ObjectStorage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** Classes that only Jackson can store. */
public final class JacksonCodecTest {

  /** A bean: no constructor takes its state. */
  public static class Customer {
    private String name = "";
    private List<String> emails = new ArrayList<>();

    /** Returns the name. */
    public String getName() {
      return name;
    }

    /** Sets the name. */
    public void setName(String given) {
      name = given;
    }

    /** Returns the addresses, which may be changed. */
    public List<String> getEmails() {
      return emails;
    }

    /** Sets the addresses. */
    public void setEmails(List<String> given) {
      emails = given;
    }
  }

  /** A customer with more than the class that the codec names. */
  public static final class Subscriber extends Customer {
    private int issues;

    /** Returns how many issues are left. */
    public int getIssues() {
      return issues;
    }

    /** Sets how many issues are left. */
    public void setIssues(int left) {
      issues = left;
    }
  }

  /** Named by annotations of Jackson. */
  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
  @JsonSubTypes(@JsonSubTypes.Type(value = Circle.class, name = "circle"))
  public interface Shape {}

  /** A shape. */
  public record Circle(@JsonProperty("r") double radius) implements Shape {}

  /** A record that Holdfast stores, with what Jackson stores. */
  public record Account(String id, Customer owner, List<Shape> logo) {}

  /** An object that keeps accounts. */
  public interface Bank {

    /** Stores an account. */
    void open(Account account);

    /** Returns the account, as it is read from the storage. */
    Account account();

    /** Returns the owner as text of JSON. */
    String stored();

    /** Stores a text, and reads it as a customer. */
    void replace(String json);
  }

  static final class BankObject implements Bank {
    private static final TypeRef<List<Shape>> SHAPES = new TypeRef<>() {};

    private final ObjectStorage storage;

    BankObject(ObjectContext context) {
      this.storage = context.storage();
    }

    @Override
    public void open(Account account) {
      storage.put("account", account);
      storage.put("owner", account.owner());
      storage.put("logo", account.logo());
      account.owner().setName("changed");
    }

    @Override
    public Account account() {
      assertThat(storage.get("logo", SHAPES)).hasValue(List.of(new Circle(1.5)));
      return storage.get("account", Account.class).orElseThrow();
    }

    @Override
    public String stored() {
      return storage.get("owner", String.class).orElseThrow();
    }

    @Override
    public void replace(String json) {
      storage.put("owner", json);
      storage.get("owner", Customer.class);
    }
  }

  @TempDir private Path directory;

  JacksonCodecTest() {}

  @Test
  void beansAndShapesComeBackWhereverTheyAre() {
    Customer ada = new Customer();
    ada.setName("Ada");
    ada.getEmails().add("ada@example.com");
    NamespaceOptions options =
        NamespaceOptions.DEFAULT.withCodec(
            JacksonCodec.of(JsonMapper.builder().build(), Customer.class, Shape.class));
    try (ObjectRuntime runtime =
        Holdfast.open(
            directory,
            objects -> objects.namespace("banks", Bank.class, BankObject::new, options))) {
      Bank bank = runtime.namespace("banks", Bank.class).getByName("a");
      bank.open(new Account("a-1", ada, List.of(new Circle(1.5))));
      assertThat(ada.getName()).as("the object has a copy").isEqualTo("Ada");

      Account read = bank.account();
      assertThat(read.owner().getName()).isEqualTo("Ada");
      assertThat(read.owner().getEmails()).containsExactly("ada@example.com");
      assertThat(read.logo()).containsExactly(new Circle(1.5));
      assertThat(bank.stored()).contains("\"name\":\"Ada\"");
      assertThatThrownBy(() -> bank.replace("{"))
          .isInstanceOf(UncopyableValueException.class)
          .hasMessageContaining("the codec of " + Customer.class.getTypeName() + " failed");
      assertThatThrownBy(() -> bank.replace("{\"name\":\"Ada\",\"phone\":\"1\"}"))
          .as("would be lost")
          .isInstanceOf(UncopyableValueException.class)
          .hasMessageContaining("\"phone\"");
    }
  }

  @Test
  void subclassWithoutANameInItsTextKeepsWhatItAdds() {
    JacksonCodec codec = JacksonCodec.of(JsonMapper.builder().build(), Customer.class, Shape.class);
    Subscriber ada = new Subscriber();
    ada.setName("Ada");
    ada.setIssues(12);
    Object stored = codec.encode(ada);
    assertThat(codec.decode(stored, Subscriber.class))
        .isInstanceOfSatisfying(
            Subscriber.class, read -> assertThat(read.getIssues()).isEqualTo(12));
    assertThatThrownBy(() -> codec.decode(stored, Customer.class))
        .as("would be lost")
        .hasMessageContaining("\"issues\"");
    assertThat(codec.encode(new Circle(1.5))).isEqualTo("{\"kind\":\"circle\",\"r\":1.5}");
  }

  @Test
  void codecNamesItsClasses() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JacksonCodec.of(JsonMapper.builder().build()))
        .withMessageContaining("Name the classes");
  }
}
