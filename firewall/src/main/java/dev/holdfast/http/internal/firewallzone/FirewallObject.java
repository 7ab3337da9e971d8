package dev.holdfast.http.internal.firewallzone;

import dev.holdfast.http.firewall.object.DeletedRule;
import dev.holdfast.http.firewall.object.Filter;
import dev.holdfast.http.firewall.object.FilterSearch;
import dev.holdfast.http.firewall.object.FirewallRule;
import dev.holdfast.http.firewall.object.FirewallZone;
import dev.holdfast.http.firewall.object.MigrationState;
import dev.holdfast.http.firewall.object.MigrationStatus;
import dev.holdfast.http.firewall.object.PreviousSearch;
import dev.holdfast.http.firewall.object.RuleSearch;
import dev.holdfast.http.firewall.object.Ruleset;
import dev.holdfast.http.firewall.object.RulesetDraft;
import dev.holdfast.http.firewall.object.ZoneFirewall;
import dev.holdfast.http.firewall.object.ZoneFirewall.StoredRuleset;
import dev.holdfast.http.internal.firewall.FilterTable;
import dev.holdfast.http.internal.firewall.Rules;
import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.migration.RuleMigration;
import dev.holdfast.http.internal.ruleset.Rulesets;
import dev.holdfast.http.internal.store.Expressions;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.Found;
import dev.holdfast.http.object.PageRange;
import dev.holdfast.http.object.RefusedException;
import dev.holdfast.http.object.ZoneProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The firewall of a zone. Owned by the turn of its object. */
public final class FirewallObject implements FirewallZone {

  private static final String TABLES =
      Json.resource(FirewallObject.class.getResourceAsStream("firewall.sql"));

  private final ZoneStore store;
  private final FilterTable filters;
  private final Rules rules;
  private final RuleMigration migration;
  private final Rulesets rulesets;

  /**
   * Opens the firewall of a zone.
   *
   * @param store the store of the zone, which may have other parts
   * @param expressions the expressions of the zone
   */
  public FirewallObject(ZoneStore store, Expressions expressions) {
    this.store = store;
    store.exec(TABLES);
    filters = new FilterTable(store, expressions);
    rules = new Rules(store, filters);
    migration = new RuleMigration(store, rules, expressions);
    rulesets = new Rulesets(store, expressions, migration);
  }

  @Override
  public void configure(ZoneProfile profile) {
    store.change(() -> store.configure(profile));
  }

  @Override
  public @Nullable ZoneProfile profile() {
    return store.profileIfAny();
  }

  @Override
  public ZoneFirewall firewall() {
    List<StoredRuleset> all = new ArrayList<>(rulesets.latest());
    migration.previousRules().ifPresent(all::add);
    return new ZoneFirewall(store.profile().id(), store.version(), rules.active(), all);
  }

  @Override
  public Found<Filter> filters(FilterSearch wanted, PageRange page) {
    return filters.list(wanted, page);
  }

  @Override
  public Filter filter(String id) {
    return filters.find(id);
  }

  @Override
  public List<Filter> addFilters(List<Filter> added) {
    return store.change(() -> filters.create(added));
  }

  @Override
  public Filter replaceFilter(Filter filter) {
    return store.change(() -> filters.replace(filter));
  }

  @Override
  public List<Filter> replaceFilters(List<Filter> replaced) {
    return changeAll(replaced, filters::replace);
  }

  @Override
  public void deleteFilter(String id) {
    store.change(() -> filters.delete(id));
  }

  @Override
  public void deleteFilters(List<String> ids) {
    store.change(() -> filters.deleteAll(ids));
  }

  @Override
  public Found<FirewallRule> rules(RuleSearch wanted, PageRange page) {
    return rules.list(wanted, page);
  }

  @Override
  public FirewallRule rule(String id) {
    return rules.find(id);
  }

  @Override
  public List<FirewallRule> addRules(List<FirewallRule> added) {
    Rules.Added done = store.change(() -> rules.create(added));
    if (done.refusal() != null) {
      // Only now: the filters of the rules stay.
      throw done.refusal();
    }
    return done.rules();
  }

  @Override
  public FirewallRule replaceRule(FirewallRule rule) {
    return store.change(() -> rules.replace(rule));
  }

  @Override
  public List<FirewallRule> replaceRules(List<FirewallRule> replaced) {
    return changeAll(replaced, rules::replace);
  }

  @Override
  public List<FirewallRule> prioritise(List<Priority> changes) {
    return changeAll(changes, rules::prioritise);
  }

  @Override
  public DeletedRule deleteRule(String id, boolean withFilter) {
    return store.change(() -> rules.delete(id, withFilter));
  }

  @Override
  public void deleteRules(List<String> ids) {
    store.change(() -> store.delete("rule", ids));
  }

  /** Changes several items: a refusal has the place of the item. */
  private <T, R> List<R> changeAll(List<T> items, Function<T, R> change) {
    return store.change(
        () -> {
          List<R> changed = new ArrayList<>(items.size());
          for (T item : items) {
            try {
              changed.add(change.apply(item));
            } catch (RefusedException e) {
              throw e.kind() == RefusedException.Kind.INVALID ? e.within("/" + changed.size()) : e;
            }
          }
          return changed;
        });
  }

  @Override
  public List<Ruleset> rulesets() {
    return rulesets.all();
  }

  @Override
  public Ruleset ruleset(String id) {
    return rulesets.find(id);
  }

  @Override
  public Ruleset createRuleset(String kind, String phase, RulesetDraft draft) {
    return store.change(() -> rulesets.create(kind, phase, draft));
  }

  @Override
  public Ruleset updateRuleset(String id, RulesetDraft draft) {
    return store.change(() -> rulesets.update(id, draft));
  }

  @Override
  public void deleteRuleset(String id) {
    store.change(() -> rulesets.delete(id));
  }

  @Override
  public Ruleset addRulesetRule(String id, String rule) {
    return store.change(() -> rulesets.addRule(id, fields(rule)));
  }

  @Override
  public Ruleset updateRulesetRule(String id, String ruleId, String rule) {
    return store.change(() -> rulesets.updateRule(id, ruleId, fields(rule)));
  }

  @Override
  public String rulesetRule(String id, String ruleId) {
    return text(rulesets.rule(id, ruleId));
  }

  @Override
  public Ruleset deleteRulesetRule(String id, String ruleId) {
    return store.change(() -> rulesets.deleteRule(id, ruleId));
  }

  @Override
  public List<Ruleset> rulesetVersions(String id) {
    return rulesets.versions(id);
  }

  @Override
  public Ruleset rulesetVersion(String id, String version) {
    return rulesets.version(rulesets.find(id).id(), version);
  }

  @Override
  public void deleteRulesetVersion(String id, String version) {
    store.change(() -> rulesets.deleteVersion(id, version));
  }

  @Override
  public Ruleset entryPoint(String phase) {
    return rulesets.entryPoint(phase);
  }

  @Override
  public void checkEntryPoint(String phase, RulesetDraft draft) {
    rulesets.checkEntryPoint(phase, draft);
  }

  @Override
  public Ruleset updateEntryPoint(String phase, RulesetDraft draft, @Nullable MigrationState next) {
    return store.change(() -> rulesets.updateEntryPoint(phase, draft, next));
  }

  @Override
  public List<Ruleset> entryPointVersions(String phase) {
    return rulesets.entryPointVersions(phase);
  }

  @Override
  public Ruleset entryPointVersion(String phase, String version) {
    return rulesets.version(rulesets.entryPoint(phase).id(), version);
  }

  @Override
  public void requirePreviousRules() {
    migration.requirePrevious();
  }

  @Override
  public void requireNoMigration() {
    migration.requireStart();
  }

  @Override
  public void importPreviousRules(String document) {
    store.change(() -> migration.importDocument(fields(document)));
  }

  @Override
  public MigrationStatus migrationStatus() {
    return migration.status();
  }

  @Override
  public String migratedEntryPoint() {
    return text(migration.configuration());
  }

  @Override
  public Found<String> previousPackages(PreviousSearch wanted, PageRange page) {
    return migration.previous().packages(wanted, page);
  }

  @Override
  public String previousPackage(String id) {
    return text(migration.previous().shownPackage(id));
  }

  @Override
  public String updatePreviousPackage(
      String id, @Nullable String sensitivity, @Nullable String actionMode) {
    ObjectNode changes =
        Json.object().put("sensitivity", sensitivity).put("action_mode", actionMode);
    return changed(() -> migration.previous().updatePackage(id, changes.removeNulls()));
  }

  @Override
  public Found<String> previousItems(
      String packageId, Part part, PreviousSearch wanted, PageRange page) {
    return migration.previous().list(packageId, part, wanted, page);
  }

  @Override
  public String previousItem(String packageId, Part part, String id) {
    return text(migration.previous().shownItem(packageId, part, id));
  }

  @Override
  public String changePreviousMode(String packageId, Part part, String id, String mode) {
    return changed(() -> migration.previous().updateMode(packageId, part, id, mode));
  }

  @Override
  public Found<String> previousOverrides(PreviousSearch wanted, PageRange page) {
    return migration.previous().overrides(wanted, page);
  }

  @Override
  public String previousOverride(String id) {
    return text(migration.previous().override(id));
  }

  @Override
  public String addPreviousOverride(String override) {
    return changed(() -> migration.previous().createOverride(fields(override)));
  }

  @Override
  public String replacePreviousOverride(String id, String override) {
    return changed(() -> migration.previous().updateOverride(id, fields(override)));
  }

  @Override
  public void deletePreviousOverride(String id) {
    store.change(() -> migration.previous().deleteOverride(id));
  }

  private String changed(Supplier<ObjectNode> change) {
    return text(store.change(change));
  }

  private static Fields fields(String document) {
    return Fields.of(Json.readBody(document));
  }

  private static String text(JsonNode tree) {
    return Json.write(tree);
  }
}
