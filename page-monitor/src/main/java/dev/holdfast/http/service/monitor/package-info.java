/**
 * The page monitor of a zone in an application, without HTTP: its object, the headers of pages, and
 * the reports that browsers send.
 *
 * <pre>{@code
 * ZoneChanges changes = new ZoneChanges();
 * Holdfast.open(directory, objects ->
 *     PageMonitors.register(objects, clock, random, ReputationFeed.EMPTY, changes));
 *
 * var zones = runtime.namespace(MonitorZone.NAMESPACE, MonitorZone.class);
 * MonitorZone shop = zones.getByName(id);
 * shop.configure(ZoneProfile.of(id, "shop.example.com", Plan.PRO));
 * shop.changeSettings(shop.settings().on());
 *
 * var reporting = new Reporting(
 *     zones::getByName, zone -> zones.getByName(zone).monitor(), key,
 *     ReportingOptions.of(clock, random, changes));
 * List<PageHeader> headers = reporting.headers("", id, page, request, response);
 * shop.scripts(DetectionSearch.ACTIVE, null); // what the browsers of visitors have reported
 * }</pre>
 */
@NullMarked
package dev.holdfast.http.service.monitor;

import org.jspecify.annotations.NullMarked;
