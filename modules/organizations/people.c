/* SPDX-License-Identifier: Apache-2.0 */
/*
 * people.c - the names of users, for readers of records that refer to users by id.
 */
#include "organizations/organizations.h"

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the person; also the record's cursor value." },
    { .name = "displayName",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Name of the person, as it is printed with signatures." },
    { .name = "active",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT,
      .doc = "Whether the person is active." },
    { .name = "createdAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the person was made known, UTC." },
    { .name = "updatedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the record was last changed, UTC." },
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = {
    LIMS_PAGING_FIELDS,
    { .name = "active",
      .type = LIMS_T_BOOLEAN,
      .doc = "Only active (true) or inactive (false) people." },
    LIMS_FIELD_END,
};

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/people",
      .command = "people list",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "listPeople",
      .summary = "List the people of the organization, by name",
      .permission = "data.read",
      .flags = LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_PERSON_LIST },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_person = {
    .name = "person",
    .title = "People",
    .schema = "Person",
    .doc = "Name of a person of the organization.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_PERSON_GET,
};
